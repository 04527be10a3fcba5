import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hookgate, SECRET, temporaryDirectory, temporaryFile } from './support.ts'

const env = { HOOKGATE_SECRET: SECRET }
const AT = '1790000000'
const ID = '0b34c1f2-9a3e-4f7b-8c2d-5e6f7a8b9c0d'
const BODY = '{ "b": 1,\n  "a": [true, "x"] }'

interface Sent {
  readonly signature: string
  readonly body?: string
  readonly id?: string
  readonly timestamp?: string
}

function verify({ signature, body = BODY, id = ID, timestamp = AT }: Sent, ...args: string[]) {
  const headers = {
    'Content-Type': 'application/json',
    'Webhook-Timestamp': timestamp,
    'Webhook-Event-Id': id,
    'Webhook-Signature': signature,
  }
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  return hookgate(['verify', ...given, '--at', AT, ...args], { env, input: body })
}

function mac(input: string, key: string | Buffer = SECRET): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

const right = mac(`${AT}.${ID}.${BODY}`)
const spell = (digest: Buffer) => digest.toString('base64url')

test('what sign printed, verify accepts', async () => {
  const file = await temporaryFile('body.json', BODY)
  const signed = await hookgate(['sign', '--file', file], { env })
  const headers = await temporaryFile(
    'headers.txt',
    `POST /x HTTP/1.1\r\n${signed.stdout.replaceAll('\n', '\r\n')}`,
  )
  const ended = await hookgate(['verify', '--headers', headers, '--file', file], { env })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toMatch(/^accepted\nevent [0-9a-f-]{36}, sent .*, by hmac\n$/)
  const twice = await hookgate(['verify', '--headers', headers, '--file', file], { env })
  expect(twice.code).toBe(0)
})

test('verify checks a token against a JWKS', async () => {
  const cwd = await temporaryDirectory()
  await hookgate(['keys'], { cwd })
  const url = 'https://t.example/api/v1/webhooks/incoming/demo'
  const signed = await hookgate(
    ['sign', url, '--data', '{}', '--key', 'hookgate-private.jwk.json', '--expires', '600'],
    { cwd },
  )
  const headers = await temporaryFile('headers.txt', signed.stdout)
  const args = ['verify', '--headers', headers, '--jwks', join(cwd, 'hookgate-jwks.json'), '--public-url']
  expect(await hookgate([...args, url], { input: '{}' })).toMatchObject({ code: 0 })
  const other = await hookgate([...args, `${url}2`, '--explain'], { input: '{}' })
  expect(other.code).toBe(1)
  expect(other.stdout).toMatch(/^refused: token_invalid \(401\)\naud is not the configured audience alone\n/)
  expect(other.stdout).toContain(`\ntoken: sub "https://t.example"\ntoken: aud "${url}", wanted: "${url}2"\n`)
  expect(other.stdout).toMatch(/\ntoken: kid "[\w-]{43}", alg "EdDSA"\n/)
  const signature = signed.stdout.trim().split('.')[2] ?? ''
  expect(signature.length).toBeGreaterThan(80)
  expect(other.stdout).not.toContain(signature)
})

test('--explain prints each check in order, up to the one that fails', async () => {
  const ended = await verify({ signature: spell(right), id: 'nope' }, '--explain')
  expect(ended.code).toBe(1)
  expect(ended.stdout.match(/^ {2}(ok|NO|-) +\S+/gm)).toEqual([
    '  ok  body-size',
    '  ok  headers',
    '  ok  json-body',
    '  ok  timestamp',
    '  NO  event-id',
    '  -   source-ip',
    '  -   authenticity',
    '  -   claim',
  ])
  expect((await verify({ signature: spell(right) }, '--explain')).stdout.match(/^ {2}ok/gm)).toHaveLength(7)
})

const decoded = Buffer.from(SECRET, 'base64url')
const upper = ID.toUpperCase()

/** A delivery whose digest is spelt differently in the two alphabets. */
const standardBase64: Sent = ['', ' ', '  ', '   ', '    ']
  .map((space) => ({ body: BODY + space, signature: mac(`${AT}.${ID}.${BODY}${space}`).toString('base64') }))
  .find(({ signature }) => /[+/]/.test(signature)) ?? { signature: '' }

test.concurrent.each<[string, Sent, RegExp]>([
  ['secret decoded', { signature: spell(mac(`${AT}.${ID}.${BODY}`, decoded)) }, /base64-decoded first/],
  [
    'secret with newline',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, `${SECRET}\n`)) },
    /line break at its end/,
  ],
  ['secret with quotes', { signature: spell(mac(`${AT}.${ID}.${BODY}`, `"${SECRET}"`)) }, /quotes or spaces/],
  ['secret with a space', { signature: spell(mac(`${AT}.${ID}.${BODY}`, `${SECRET} `)) }, /quotes or spaces/],
  ['newline sent', { signature: spell(right), body: `${BODY}\n` }, /line break .* sent, but not signed/],
  [
    'newline signed',
    { signature: spell(mac(`${AT}.${ID}.${BODY}\n`)) },
    /line break .* signed, but not sent/,
  ],
  ['printed by JavaScript', { signature: spell(mac(`${AT}.${ID}.{"b":1,"a":[true,"x"]}`)) }, /printed anew/],
  ['printed by Python', { signature: spell(mac(`${AT}.${ID}.{"b": 1, "a": [true, "x"]}`)) }, /printed anew/],
  ['id first', { signature: spell(mac(`${ID}.${AT}.${BODY}`)) }, /order of Standard Webhooks/],
  ['timestamp and body', { signature: spell(mac(`${AT}.${BODY}`)) }, /timestamp\.body/],
  ['body alone', { signature: spell(mac(BODY)) }, /the body alone/],
  ['lower case signed', { signature: spell(right), id: upper }, /signed in lower case/],
  ['upper case signed', { signature: spell(mac(`${AT}.${upper}.${BODY}`)) }, /signed in upper case/],
  ['hex', { signature: right.toString('hex') }, /sent as hex/],
  ['standard base64', standardBase64, /standard base64[\s\S]*with padding/],
  ['padded', { signature: `${spell(right)}=` }, /with padding/],
  ['v1, prefix', { signature: `v1,${spell(right)}` }, /prefix v1,/],
  ['milliseconds signed', { signature: spell(mac(`${AT}123.${ID}.${BODY}`)) }, /signed in milliseconds/],
  ['milliseconds sent', { signature: spell(right), timestamp: `${AT}123` }, /is in milliseconds/],
  [
    'two at once',
    { signature: `v1,${mac(`${ID}.${AT}.${BODY}`, decoded).toString('base64')}` },
    /Standard Webhooks/,
  ],
  [
    'another secret',
    { signature: spell(mac(`${AT}.${ID}.${BODY}`, 'other')) },
    /none of the well-known mistakes/,
  ],
  ['no digest at all', { signature: 'nonsense' }, /not a SHA-256 digest/],
])('--explain names the mistake: %s', async (_, sent, mistake) => {
  const ended = await verify(sent, '--explain')
  expect(ended.code).toBe(1)
  expect(ended.stdout).toMatch(mistake)
  expect(ended.stdout).not.toContain(SECRET)
})

test('--explain names the mistake: quotes around the secret that was given', async () => {
  const quoted = { HOOKGATE_SECRET: `"${SECRET}"` }
  const headers = ['Content-Type: application/json', `Webhook-Timestamp: ${AT}`, `Webhook-Event-Id: ${ID}`]
  const given = [...headers, `Webhook-Signature: ${spell(right)}`].flatMap((header) => ['--header', header])
  const ended = await hookgate(['verify', ...given, '--at', AT, '--explain'], { env: quoted, input: BODY })
  expect(ended.stdout).toMatch(/likely: the secret has quotes or spaces around it, on one side only\n/)
})

test('an old delivery is judged by --at', async () => {
  const args = ['--header', `Webhook-Timestamp: ${AT}`, '--header', `Webhook-Event-Id: ${ID}`]
  const headers = [
    ...args,
    '--header',
    'Content-Type: application/json',
    '--header',
    `Webhook-Signature: ${spell(right)}`,
  ]
  const now = await hookgate(['verify', ...headers, '--explain'], { env, input: BODY })
  expect(now.stdout).toMatch(/^refused: timestamp_out_of_range/)
  expect(now.stdout).toContain(`--at ${AT}\n`)
  expect((await hookgate(['verify', ...headers, '--at', AT], { env, input: BODY })).code).toBe(0)
})

test('a header that came twice is a header that came twice', async () => {
  const ended = await verify({ signature: spell(right) }, '--header', `webhook-timestamp: ${AT}`)
  expect(ended.stdout).toMatch(/^refused: header_repeated \(400\)\n/)
})

test('--allow-cidr and --source-ip are checked too', async () => {
  const rule = ['--allow-cidr', '192.0.2.0/24', '--source-ip']
  expect((await verify({ signature: spell(right) }, ...rule, '192.0.2.7')).code).toBe(0)
  expect((await verify({ signature: spell(right) }, ...rule, '192.0.3.7')).stdout).toContain(
    'source_ip_not_allowed',
  )
})
