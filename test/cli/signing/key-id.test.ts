import { describe, expect, it } from 'vitest'
import { runCommand } from '../shared-process.ts'
import { ROOT, shell, startListener, temporaryFile } from '../support.ts'

const env = { HOOKGATE_SECRET: 'a secret of another sender' }

describe('a secret with a name', () => {
  const named = {
    livekit: { keyId: 'APIkey', body: '{"id":"EV_1","event":"room_started"}' },
    braintree: { keyId: 'a public key', body: '<notification><kind>check</kind></notification>' },
  } as const

  it.each(Object.entries(named))(
    'listen accepts what send signs as %s, once',
    async (name, { keyId, body }) => {
      const scheme = ['--scheme', name, '--key-id', keyId]
      const listener = await startListener(scheme, { env })
      const send = ['send', listener.url, '--scheme', name, '--data', body, '--key-id']
      const sent = await runCommand([...send, keyId, '--duplicate'], { env })
      expect(sent).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('200 OK\n{"accepted":true}\n200 OK'),
      })
      const other = await runCommand([...send, 'another key'], { env })
      expect(other).toMatchObject({ code: 1, stdout: expect.stringContaining('401 Unauthorized') })
      await listener.stop()
    },
  )

  it('the name stands in the printed command, which works when it is pasted', async () => {
    const listener = await startListener(['--scheme', 'livekit', '--key-id', "it's mine"], { env })
    expect(listener.command).toContain(`--scheme livekit --key-id 'it'\\''s mine'`)
    expect(await shell(listener.command, { env, cwd: ROOT })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('200 OK'),
    })
    await listener.stop()
  })

  it('verify accepts a captured delivery of LiveKit, signed by sign', async () => {
    const { body } = named.livekit
    const scheme = ['--scheme', 'livekit', '--key-id', 'APIkey']
    const signed = await runCommand(['sign', ...scheme, '--data', body], { env })
    const headers = await temporaryFile('headers.txt', signed.stdout)
    const verify = ['verify', '--headers', headers, ...scheme]
    expect(await runCommand(verify, { env, input: body })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^accepted\nevent EV_1, /),
    })
  })

  it('the name signs the body of Braintree, so sign prints all of it or nothing', async () => {
    const scheme = ['--scheme', 'braintree', '--key-id', 'public']
    const listener = await startListener(scheme, { env })
    const file = await temporaryFile('body.xml', named.braintree.body)
    const sign = ['sign', listener.url, ...scheme, '--file', file]
    const printed = await runCommand([...sign, '--curl'], { env })
    expect(await shell(printed.stdout)).toMatchObject({ stdout: expect.stringContaining('200 OK') })
    const headers = await runCommand(sign, { env })
    expect(headers).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('add --curl') })
    await listener.stop()
  })

  it.each([
    ['livekit', 'apiKey', 'listen'],
    ['livekit', 'apiKey', 'verify'],
    ['livekit', 'apiKey', 'sign'],
    ['livekit', 'apiKey', 'send http://127.0.0.1:1/'],
    ['braintree', 'publicKey', 'listen'],
    ['braintree', 'publicKey', 'send http://127.0.0.1:1/'],
  ])('%s asks for its %s before it asks for a secret: %s', async (name, option, command) => {
    for (const keyId of [[], ['--key-id', '']]) {
      const { code, stderr } = await runCommand([...command.split(' '), '--scheme', name, ...keyId])
      expect(code).toBe(2)
      expect(stderr).toContain(`--scheme ${name} needs its ${option}: add --key-id TEXT`)
    }
  })

  it.each([
    [['--scheme', 'stripe'], '--scheme stripe does not name its secret: remove --key-id'],
    [[], '--key-id is for schemes that name their secret: add --scheme NAME'],
  ])('no other secret has one: %j', async (scheme, problem) => {
    for (const command of [['listen'], ['verify'], ['sign'], ['send', 'http://127.0.0.1:1/']]) {
      const { code, stderr } = await runCommand([...command, ...scheme, '--key-id', 'a name'], { env })
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) })
    }
  })
})
