import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkOutcomes } from '../../../src/explain/check-outcomes.ts'
import { hmacListener } from '../../support/hmac-listener.ts'
import { AT, BODY, ID, MISTAKES, RIGHT, SECRET, type Sent, spell } from '../../support/signing-mistakes.ts'
import { runCommand } from '../shared-process.ts'
import { temporaryDirectory, temporaryFile } from '../support.ts'

const env = { HOOKGATE_SECRET: SECRET }
function verify({ signature, body = BODY, id = ID, timestamp = AT }: Sent, ...args: string[]) {
  const headers = {
    'Content-Type': 'application/json',
    'Webhook-Timestamp': timestamp,
    'Webhook-Event-Id': id,
    'Webhook-Signature': signature,
  }
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  return runCommand(['verify', ...given, '--at', AT, ...args], { env, input: body })
}

test('verify accepts what sign printed', async () => {
  const file = await temporaryFile('body.json', BODY)
  const signed = await runCommand(['sign', '--file', file], { env })
  const headers = await temporaryFile(
    'headers.txt',
    `POST /x HTTP/1.1\r\n${signed.stdout.replaceAll('\n', '\r\n')}`,
  )
  const ended = await runCommand(['verify', '--headers', headers, '--file', file], { env })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^accepted\nevent [0-9a-f-]{36}, sent .*, by hmac\n$/)
  const twice = await runCommand(['verify', '--headers', headers, '--file', file], { env })
  expect(twice.code).toBe(0)
})

test.each([
  ['UTF-8 with BOM', Buffer.from('\ufeffStripe-Signature: t=1,v1=0')],
  ['UTF-16', Buffer.from('\ufeffStripe-Signature: t=1,v1=0', 'utf16le')],
])('headers that an editor saved as %s are refused, with the fix', async (_, content) => {
  const headers = await temporaryFile('headers.txt', content)
  const { code, stderr } = await runCommand(['verify', '--headers', headers], { env })
  expect(code).toBe(2)
  expect(stderr).toContain('headers.txt: save it as UTF-8 without BOM')
})

test('verify checks a token against a JWKS', async () => {
  const cwd = await temporaryDirectory()
  await runCommand(['keys'], { cwd })
  const url = 'https://t.example/api/v1/webhooks/incoming/demo'
  const signed = await runCommand(
    ['sign', url, '--data', '{}', '--key', 'hookgate-private.jwk.json', '--expires', '600'],
    { cwd },
  )
  const headers = await temporaryFile('headers.txt', signed.stdout)
  const args = ['verify', '--headers', headers, '--jwks', join(cwd, 'hookgate-jwks.json'), '--public-url']
  expect(await runCommand([...args, url], { input: '{}' })).toMatchObject({ code: 0 })
  const other = await runCommand([...args, `${url}2`, '--explain'], { input: '{}' })
  expect(other.code).toBe(1)
  expect(other.stdout).toMatch(/^refused: token_invalid \(401\)\naud is not the configured audience alone\n/)
  expect(other.stdout).toContain(`\ntoken: sub "https://t.example"\ntoken: aud "${url}", wanted: "${url}2"\n`)
  expect(other.stdout).toMatch(/\ntoken: kid "[\w-]{43}", alg "EdDSA"\n/)
  const signature = signed.stdout.trim().split('.')[2] ?? ''
  expect(signature.length).toBeGreaterThan(80)
  expect(other.stdout).not.toContain(signature)
})

test('--explain prints each check in order, up to the one that fails', async () => {
  const ended = await verify({ signature: spell(RIGHT), id: 'nope' }, '--explain')
  expect(ended.code).toBe(1)
  const listed = ended.stdout.match(/^ {2}(ok|NO|-) +\S+/gm) ?? []
  const outcomes = checkOutcomes({ ok: false, reason: 'event_id_not_uuid_v4' }, hmacListener().listener)
  expect(outcomes.map(({ ok }) => ok)).toEqual(expect.arrayContaining([true, false, null]))
  expect(listed).toEqual(
    outcomes.map(({ name, ok }) => `  ${ok === null ? '-  ' : ok ? 'ok ' : 'NO '} ${name}`),
  )
  const genuine = await verify({ signature: spell(RIGHT) }, '--explain')
  expect(genuine.stdout.match(/^ {2}ok/gm)).toHaveLength(listed.length - 1) // nothing is claimed
})

test.concurrent.each(MISTAKES)('--explain names the mistake: %s', async (_, sent, mistake) => {
  const ended = await verify(sent, '--explain')
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(mistake)
  expect(ended.stdout).not.toContain(SECRET)
})

test('--explain names the mistake: quotes around the secret that was given', async () => {
  const quoted = { HOOKGATE_SECRET: `"${SECRET}"` }
  const headers = ['Content-Type: application/json', `Webhook-Timestamp: ${AT}`, `Webhook-Event-Id: ${ID}`]
  const given = [...headers, `Webhook-Signature: ${spell(RIGHT)}`].flatMap((header) => ['--header', header])
  const ended = await runCommand(['verify', ...given, '--at', AT, '--explain'], { env: quoted, input: BODY })
  expect(ended.stdout).toMatch(
    /^refused.*\n.*\nlikely: the configured secret has quotes around it: remove them\n/,
  )
  expect(ended.stdout).not.toContain('hookgate/explain')
  const plain = await runCommand(['verify', ...given, '--at', AT], { env: quoted, input: BODY })
  expect(plain.stdout).toMatch(/; --explain finds the mistake\n$/)
})

test('an old delivery is judged by --at', async () => {
  const args = ['--header', `Webhook-Timestamp: ${AT}`, '--header', `Webhook-Event-Id: ${ID}`]
  const headers = [
    ...args,
    '--header',
    'Content-Type: application/json',
    '--header',
    `Webhook-Signature: ${spell(RIGHT)}`,
  ]
  const now = await runCommand(['verify', ...headers, '--explain'], { env, input: BODY })
  expect(now.stdout).toMatch(/^refused: timestamp_out_of_range/)
  expect(now.stdout).toContain(`--at ${AT}\n`)
  expect((await runCommand(['verify', ...headers, '--at', AT], { env, input: BODY })).code).toBe(0)
})

test("the time of another sender's delivery is found where its scheme has it", async () => {
  const signed = await runCommand(['sign', '--scheme', 'stripe', '--timestamp', AT, '--data', BODY], { env })
  const headers = await temporaryFile('headers.txt', signed.stdout)
  const given = ['verify', '--scheme', 'stripe', '--headers', headers]
  const now = await runCommand([...given, '--explain'], { env, input: BODY })
  expect(now.stdout).toMatch(/^refused: timestamp_out_of_range/)
  expect(now.stdout).toContain('likely: t= of Stripe-Signature is ')
  expect(now.stdout).toContain(`to verify it at its own time: --at ${AT}\n`)
  expect((await runCommand([...given, '--at', AT], { env, input: '{}' })).code).toBe(1)
})

test.each([
  ['github', '{"a":1}', undefined],
  ['stripe', '{"id":"evt_1"}', '2026-09-21T14:13:20.000Z'],
  ['intercom', '{"id":"1","first_sent_at":1790000000}', '2026-09-21T14:13:20.000Z'],
  ['intercom', '{"id":"1"}', undefined],
])('the time that %s has sent %s at is printed only if it says one', async (scheme, body, sentAt) => {
  const sent = await runCommand(['sign', '--scheme', scheme, '--timestamp', '1790000000', '--data', body], {
    env,
  })
  const headers = await temporaryFile('headers.txt', sent.stdout)
  const args = ['verify', '--scheme', scheme, '--headers', headers, '--at', '1790000100']
  const { stdout } = await runCommand(args, { env, input: body })
  expect(stdout).toMatch(/^accepted\nevent /)
  expect(/sent (\S+),/.exec(stdout)?.[1]).toBe(sentAt)
})

const PUBLIC_URL = 'https://receiver.example/hooks'

test.each(['zendesk', 'sanity', 'linear', 'box', 'contentful', 'qstash'])(
  'verify accepts a delivery of %s, which is claimed by two keys',
  async (scheme) => {
    const body = `{"id":"1","webhookTimestamp":${Date.now()}}`
    const url = ['contentful', 'qstash'].includes(scheme) ? ['--public-url', PUBLIC_URL] : []
    const signed = await runCommand(['sign', '--scheme', scheme, ...url, '--data', body], { env })
    const headers = await temporaryFile('headers.txt', signed.stdout)
    const ended = await runCommand(['verify', '--scheme', scheme, ...url, '--headers', headers], {
      env,
      input: body,
    })
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^accepted\n/) })
  },
)

test.each(['twilio', 'square', 'rfc9421'])('verify asks for the URL that %s signs', async (scheme) => {
  const args = ['verify', '--scheme', scheme, '--header', 'Content-Type: application/json']
  const { code, stderr } = await runCommand(args, { env, input: '{}' })
  expect(code).toBe(2)
  expect(stderr).toContain(`--scheme ${scheme} signs the URL: add --public-url URL`)
})

test.each(['', ' '])('the query of the request line is verified, with %j at its end', async (end) => {
  const body = 'AccountSid=AC1&Body=Hi'
  const given = ['--scheme', 'twilio', '--data', body]
  const signed = await runCommand(['sign', `${PUBLIC_URL}?tenant=7`, ...given], { env })
  const verifyAt = async (target: string) => {
    const headers = await temporaryFile('headers.txt', `POST ${target} HTTP/1.1${end}\r\n${signed.stdout}`)
    const args = ['verify', '--scheme', 'twilio', '--public-url', PUBLIC_URL, '--headers', headers]
    return (await runCommand(args, { env, input: body })).code
  }
  expect(await verifyAt('/hooks?tenant=7')).toBe(0)
  expect(await verifyAt('/hooks?tenant=8')).toBe(1)
})

test('the query of a request on HTTP/2, which has no request line, is verified', async () => {
  const body = 'AccountSid=AC1&Body=Hi'
  const given = ['--scheme', 'twilio', '--data', body]
  const signed = await runCommand(['sign', `${PUBLIC_URL}?tenant=7`, ...given], { env })
  for (const [query, code] of [
    ['tenant=7', 0],
    ['tenant=8', 1],
  ] as const) {
    const pseudo = `:method: POST\n:scheme: https\n:authority: receiver.example\n:path: /hooks?${query}\n`
    const headers = await temporaryFile('headers.txt', pseudo + signed.stdout)
    const args = ['verify', '--scheme', 'twilio', '--public-url', PUBLIC_URL, '--headers', headers]
    expect((await runCommand(args, { env, input: body })).code).toBe(code)
  }
})

test.each([
  ['right', 0, 'handshake (200)'],
  ['wrong', 1, 'handshake (403)'],
])('a handshake with the %s token ends with %i', async (token, code, said) => {
  const line = `GET /hooks?hub.mode=subscribe&hub.challenge=1&hub.verify_token=${token} HTTP/1.1`
  const headers = await temporaryFile('headers.txt', line)
  const ended = await runCommand(['verify', '--scheme', 'meta', '--headers', headers], {
    env: { ...env, HOOKGATE_VERIFY_TOKEN: 'right' },
  })
  expect(ended.stdout).toContain(said)
  expect(ended.code).toBe(code)
})

test('a repeated header counts as repeated', async () => {
  const ended = await verify({ signature: spell(RIGHT) }, '--header', `webhook-timestamp: ${AT}`)
  expect(ended.stdout).toMatch(/^refused: header_repeated \(400\)\n/)
})

test('--allow-cidr and --source-ip are checked too', async () => {
  const rule = ['--allow-cidr', '192.0.2.0/24', '--source-ip']
  expect((await verify({ signature: spell(RIGHT) }, ...rule, '192.0.2.7')).code).toBe(0)
  expect((await verify({ signature: spell(RIGHT) }, ...rule, '192.0.3.7')).stdout).toContain(
    'source_ip_not_allowed',
  )
})

test("an event ID from another sender's header moves no cursor", async () => {
  const env = { HOOKGATE_SECRET: SECRET }
  const signed = await runCommand(['sign', '--scheme', 'github', '--data', BODY], { env })
  const hostile = signed.stdout.replace(/(X-Github-Delivery: ).*/i, '$1\u001b[2J\u009bx')
  const headers = await temporaryFile('headers.txt', Buffer.from(hostile, 'latin1'))
  const ended = await runCommand(['verify', '--scheme', 'github', '--headers', headers], { env, input: BODY })
  expect(ended.stdout).toMatch(/^accepted\nevent \\u001b\[2J\\u009bx, by GitHub\n/)
})
