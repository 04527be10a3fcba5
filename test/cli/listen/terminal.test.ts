import { expect, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { deliver } from '../forward/gateway.ts'
import { hookgate, SECRET, startListener } from '../support.ts'
import { inTerminal, NO_TERMINAL } from './in-terminal.ts'

const env = { HOOKGATE_SECRET: SECRET }
const ESCAPE = '\u001b'
const CTRL_C = '\u0003'

test.skipIf(NO_TERMINAL)(
  `lines in a terminal have one header and colour, and Ctrl-C says what it finished${NO_TERMINAL}`,
  async () => {
    const listen = inTerminal('listen --port 0')
    const [, url = ''] = await listen.shown(/Listening on (\S+)/)
    expect((await deliver(url)).status).toBe(200)
    const wrong = await signHmac({ secret: `${SECRET}z`, body: '{}' })
    expect((await fetch(url, wrong)).status).toBe(401)
    await listen.shown(/signature_mismatch/)
    expect(listen.text().match(/TIME UTC {9}MS RESULT/g)).toHaveLength(1)
    expect(listen.text()).toContain(`${ESCAPE}[32maccepted${ESCAPE}[39m`)
    expect(listen.text()).toContain(`${ESCAPE}[31msignature_mismatch${ESCAPE}[39m`)
    listen.press(CTRL_C)
    await listen.ended
    expect(listen.text()).toMatch(/hookgate: stopped; received 2 deliveries: 1 accepted, 1 refused\r\n$/)
  },
)

test.skipIf(NO_TERMINAL)(`the titles of a help are bold on a terminal alone${NO_TERMINAL}`, async () => {
  const [help, plain] = [inTerminal('listen --help'), inTerminal('listen --help', { NO_COLOR: '1' })]
  await Promise.all([help.ended, plain.ended])
  expect(help.text()).toContain('\n\u001b[1mOptions:\u001b[22m\r\n')
  expect(plain.text()).toContain('\nOptions:\r\n')
})

test.skipIf(NO_TERMINAL)(`NO_COLOR takes the colour away, and leaves the header${NO_TERMINAL}`, async () => {
  const listen = inTerminal('listen --port 0', { NO_COLOR: '1' })
  const [, url = ''] = await listen.shown(/Listening on (\S+)/)
  await deliver(url)
  await listen.shown(/TIME UTC[^\n]*\n\d\d:\d\d:\d\d 200 [^\n]* accepted/)
  expect(listen.text()).not.toContain(ESCAPE)
})

test.skipIf(NO_TERMINAL)(`--json is the same in a terminal: no header, no colour${NO_TERMINAL}`, async () => {
  const listen = inTerminal('listen --port 0 --json')
  const [, url = ''] = await listen.shown(/Listening on (\S+)/)
  await deliver(url)
  const [line] = await listen.shown(/^\{"time":.*\}\r$/m)
  expect(JSON.parse(line)).toMatchObject({ verdict: 'accepted' })
  expect(listen.text()).not.toContain('TIME UTC')
  expect(listen.text()).not.toContain(ESCAPE)
})

test.skipIf(NO_TERMINAL).each([
  ['send http://127.0.0.1:1/', 'needs a body: give --data TEXT, --file FILE, or bytes on standard input'],
  ['sign', 'needs a body: give --data TEXT, --file FILE, or bytes on standard input'],
  ["verify --header 'a: b'", 'needs a body: give --file FILE, or bytes on standard input'],
])(`%s without a body, in a terminal, names every way out${NO_TERMINAL}`, async (line, message) => {
  const { shown } = inTerminal(line)
  expect((await shown(/needs a body: [^\r\n]*/))[0]).toBe(message)
})

test('lines through a pipe have no header and no colour', async () => {
  const listener = await startListener([], { env })
  await deliver(listener.url)
  const [line] = await listener.deliveries(1)
  expect(listener.stdout.text).not.toContain('TIME UTC')
  expect(listener.stdout.text).not.toContain(ESCAPE)
  expect(line?.length).toBeLessThanOrEqual(80)
})

test('--body shows the indented payload of accepted deliveries only', async () => {
  const listener = await startListener(['--body'], { env })
  await deliver(listener.url, undefined, '{"price":1.0,"note":"\\u001b[2J"}')
  const forged = await signHmac({ secret: `${SECRET}z`, body: '{"forged":true}' })
  expect((await fetch(listener.url, forged)).status).toBe(401)
  await listener.deliveries(2)
  expect(listener.stdout.text).toMatch(
    / accepted .*\n {2}\{\n {4}"price": 1.0,\n {4}"note": "\\u001b\[2J"\n {2}\}\n/,
  )
  expect(listener.stdout.text).not.toContain('forged')
})

test('a payload cannot move the cursor', async () => {
  const listener = await startListener(['--body'], { env })
  await deliver(listener.url, undefined, '"\u009b31mred\u202e"')
  await listener.deliveries(1)
  await listener.stdout.waitFor(/mred/)
  expect(listener.stdout.text).toContain('"\\u009b31mred\\u202e"')
})

test('--json --body adds the payload unchanged', async () => {
  const listener = await startListener(['--json', '--body'], { env })
  await deliver(listener.url, undefined, '{"price": 1.0}')
  await fetch(listener.url, { method: 'POST' })
  const lines = (await listener.deliveries(2)).map((line) => JSON.parse(line))
  expect(lines.map(({ body }) => body)).toEqual(['{"price": 1.0}', null])
})

test('Ctrl-C says how many deliveries it finished, and that none came', async () => {
  const listener = await startListener([], { env })
  listener.signal('SIGINT')
  await listener.exit
  expect(listener.stderr.text).toBe('hookgate: stopped; received no deliveries\n')
})

test.each([
  ['20', 20],
  ['20b', 20],
  ['1kb', 1024],
  ['1MB', 2 ** 20],
])('--max-body %s takes %i bytes, and refuses one more', async (size, bytes) => {
  const listener = await startListener(['--max-body', size], { env })
  const text = (length: number) => `"${'x'.repeat(length - 2)}"`
  expect((await deliver(listener.url, undefined, text(bytes))).status).toBe(200)
  expect((await deliver(listener.url, undefined, text(bytes + 1))).body).toContain('body_too_large')
})

test('verify --explain says when no networks are configured', async () => {
  const signed = await signHmac({ secret: SECRET, body: '{}' })
  const headers = Object.entries(signed.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const open = await hookgate(['verify', ...headers, '--explain'], { env, input: '{}' })
  expect(open.stdout).toContain('ok  source-ip     no networks configured: any address may send\n')
  const rule = ['--allow-cidr', '192.0.2.0/24', '--source-ip', '192.0.2.1']
  const closed = await hookgate(['verify', ...headers, '--explain', ...rule], { env, input: '{}' })
  expect(closed.stdout).toContain('ok  source-ip     the source address is allowed\n')
})
