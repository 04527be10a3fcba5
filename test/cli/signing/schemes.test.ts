import { createHmac } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SCHEME_NAMES } from '../../support/schemes.ts'
import { runCommand } from '../shared-process.ts'
import { shell, startListener, temporaryDirectory } from '../support.ts'

const SECRET = 'user:a secret of another sender' // HTTP Basic has a colon
const env = { HOOKGATE_SECRET: SECRET }
const BODY = '{"id":"evt_1","type":"invoice.paid"}'

describe('--scheme', () => {
  it.each(['stripe', 'github', 'slack', 'shopify', 'qstash', 'rfc9421', 'postmark', 'contentful'])(
    'listen accepts what send signs as %s, once',
    async (name) => {
      const listener = await startListener(['--scheme', name], { env })
      const sent = await runCommand(['send', listener.url, '--scheme', name, '--data', BODY, '--duplicate'], {
        env,
      })
      expect(sent.stdout).toContain('200 OK\n{"accepted":true}\n200 OK')
      expect(sent.code).toBe(0)
      await listener.stop()
    },
  )

  it("listen accepts Twilio's GET, whose fields are in the query", async () => {
    const listener = await startListener(['--scheme', 'twilio'], { env })
    const url = `${listener.url}?CallSid=CA1`
    const headers = { 'x-twilio-signature': createHmac('sha1', SECRET).update(url).digest('base64') }
    expect((await fetch(url, { headers })).status).toBe(200)
    expect((await fetch(`${url}&a=b`, { headers })).status).toBe(401)
    await listener.stop()
  })

  it('send shows the answers to a changed body and another secret', async () => {
    const listener = await startListener(['--scheme', 'stripe'], { env })
    const send = ['send', listener.url, '--scheme', 'stripe', '--data', BODY]
    expect(await runCommand([...send, '--tamper'], { env })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('401 Unauthorized'),
    })
    const other = await runCommand(send, { env: { HOOKGATE_SECRET: 'of somebody else' } })
    expect(other.stderr).toContain('the receiver expects another scheme')
    await listener.stop()
  })

  it('a name that is wrong is told the nearest one', async () => {
    const { code, stderr } = await runCommand(['send', 'http://127.0.0.1:1/', '--scheme', 'strip'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('did you mean stripe?')
  })

  it('a secret that the scheme cannot read is refused before the port is opened', async () => {
    const { code, stderr } = await runCommand(['listen', '--port', '0', '--scheme', 'svix'], { env })
    expect(code).toBe(2)
    expect(stderr).toContain('must be whsec_ followed by base64')
    expect(stderr).not.toContain(SECRET)
  })

  it('a scheme with a private key asks for it', async () => {
    const { code, stderr } = await runCommand(
      ['send', 'http://127.0.0.1:1/', '--scheme', 'discord', '--data', '{}'],
      { env },
    )
    expect(code).toBe(2)
    expect(stderr).toContain('add --key FILE')
  })

  it('a listener for a sender with a private key asks for the public one', async () => {
    const { code, stderr } = await runCommand(['listen', '--port', '0', '--scheme', 'discord'])
    expect(code).toBe(2)
    expect(stderr).toContain("needs the sender's public key: set HOOKGATE_SECRET, or give --secret-file FILE")
  })

  it('a listener with a public key prints the command that signs with the key of hookgate keys', async () => {
    const cwd = await temporaryDirectory()
    await runCommand(['keys'], { cwd })
    const { x } = JSON.parse(await readFile(join(cwd, 'hookgate-private.jwk.json'), 'utf8'))
    const listener = await startListener(['--scheme', 'discord'], {
      cwd,
      env: { HOOKGATE_SECRET: Buffer.from(x, 'base64url').toString('hex') },
    })
    const sent = await shell(listener.command, { cwd })
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('200 OK') })
    await listener.stop()
  })
})

describe('a scheme whose signatures need code', () => {
  it('a delivery is sent with its signature in the body', async () => {
    const listener = await startListener(['--scheme', 'graph'], { env })
    const body = '{"value":[{"subscriptionId":"1"}]}'
    const sent = await runCommand(['send', listener.url, '--scheme', 'graph', '--data', body], { env })
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('200 OK') })
    await listener.stop()
  })

  it.each([
    ['app-store', 'rootCertificates'],
    ['vercel-connect', 'projectId'],
    ['sns', 'topicArns'],
    ['plaid', 'findKey'],
    ['paypal', 'webhookId'],
    ['pubsub', 'audience'],
  ])('%s cannot be given its %s here, and says so before it asks for a secret', async (name, option) => {
    const { code, stderr } = await runCommand(['listen', '--port', '0', '--scheme', name])
    expect(code).toBe(2)
    expect(stderr).toContain(
      `--scheme ${name} needs ${option}, which no flag of this command sets: use hookgate/schemes/${name} in your own code`,
    )
  })

  it('an unknown scheme lists all of them in lines that a terminal of 80 columns shows', async () => {
    const { code, stderr } = await runCommand(['sign', '--scheme', 'zzzzzzzz', '--data', '{}'])
    expect(code).toBe(2)
    const lines = stderr.split('\n').filter((line) => line.startsWith('  '))
    const names = lines.join('').trim().split(/,\s+/)
    expect(names).toEqual(SCHEME_NAMES.toSorted())
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it.each(['sns', 'plaid', 'wix', 'app-store', 'vercel-connect'])(
    '%s cannot be sent, and says so before it asks for a secret',
    async (name) => {
      const sent = ['send', 'http://127.0.0.1:1/', '--scheme', name, '--data', '{}']
      const { code, stderr } = await runCommand(sent)
      expect(code).toBe(2)
      expect(stderr).toContain(`--scheme ${name} cannot be signed here`)
    },
  )

  it('graph is received, and the printed command sends its secret in the body', async () => {
    const listener = await startListener(['--scheme', 'graph'], { env })
    const asked = await fetch(`${listener.url}?validationToken=a+token`, { method: 'POST' })
    expect(await asked.text()).toBe('a token')
    const body = JSON.stringify({ value: [{ clientState: SECRET }] })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(listener.url, { method: 'POST', headers, body })).status).toBe(200)
    expect(await shell(listener.command, { env })).toMatchObject({ code: 0 })
    await listener.stop()
  })
})

describe('listen --explain', () => {
  it('listen says whose delivery it is, and what is likely wrong with a signature', async () => {
    const listener = await startListener(['--scheme', 'github', '--explain'], { env })
    const send = ['send', listener.url, '--data', BODY, '--scheme']
    await runCommand([...send, 'stripe'], { env })
    await listener.stderr.waitFor(
      /likely: this looks like a delivery from Stripe; this listener expects GitHub/,
    )
    await listener.stop()
    const own = await startListener(['--explain'], { env })
    await runCommand(['send', own.url, '--data', BODY], { env: { HOOKGATE_SECRET: `${SECRET} ` } })
    await own.stderr.waitFor(/likely: .*(space|blank|newline)/)
    await own.stop()
  })
})

describe('verify --explain', () => {
  async function captured(lines: readonly string[], body = BODY): Promise<readonly string[]> {
    const folder = await temporaryDirectory()
    const headers = join(folder, 'headers.txt')
    await writeFile(headers, ['Content-Type: application/json', ...lines, ''].join('\n'))
    await writeFile(join(folder, 'body.json'), body)
    return ['--headers', headers, '--file', join(folder, 'body.json'), '--explain']
  }

  it.each([
    ['GitHub', 'github', ['X-Hub-Signature-256: sha256=00', 'X-GitHub-Event: push']],
    ['Meta', 'meta', ['X-Hub-Signature-256: sha256=00']],
    ['Slack', 'slack', ['X-Slack-Signature: v0=00', 'X-Slack-Request-Timestamp: 1']],
  ])('verify recognises a delivery of %s by its headers', async (sender, name, lines) => {
    const given = await captured(lines)
    const { stdout } = await runCommand(['verify', ...given], { env })
    expect(stdout).toContain(`this looks like a delivery from ${name === 'meta' ? 'GitHub' : sender}`)
    expect(stdout).toContain(`import hookgate/schemes/${name === 'meta' ? 'github' : name}`)
  })

  it.each([
    ['sns', '{"Type":"Notification","Signature":"AAAA"}'],
    ['adyen', '{"notificationItems":[{"NotificationRequestItem":{"additionalData":{"hmacSignature":"a"}}}]}'],
    ['mailgun', '{"signature":{"signature":"a"}}'],
  ])('verify recognises a delivery of %s by its body', async (name, body) => {
    const { stdout } = await runCommand(['verify', ...(await captured([], body))], { env })
    expect(stdout).toContain(`import hookgate/schemes/${name}`)
  })

  it.each([
    [['Authorization: Bearer a', 'Ce-Id: 1', 'Ce-Type: a'], true],
    [['Authorization: Bearer a'], false],
  ])('verify recognises no sender by an Authorization alone: %j', async (lines, isKnown) => {
    const { stdout } = await runCommand(['verify', ...(await captured(lines))], { env })
    expect(stdout.includes('import hookgate/schemes/cloudevents')).toBe(isKnown)
    expect(stdout.includes('this looks like')).toBe(isKnown)
  })

  it("verify lists the checks in the sender's order", async () => {
    const given = await captured([`Stripe-Signature: t=1,v1=${'0'.repeat(64)}`])
    const { code, stdout } = await runCommand(['verify', '--scheme', 'stripe', ...given], { env })
    expect(code).toBe(1)
    expect(stdout).toMatch(/ok {2}source-ip[\s\S]*NO {2}authenticity[\s\S]*- {3}body[\s\S]*- {3}event-id/)
  })
})
