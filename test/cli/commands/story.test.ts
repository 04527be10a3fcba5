import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { runCommand } from '../shared-process.ts'
import {
  PATH,
  ROOT,
  run,
  SECRET,
  shell,
  startListener,
  temporaryDirectory,
  temporaryFile,
} from '../support.ts'

const COLUMNS = /^(\S+) +(\S+) +(\S+) +(\S+) +(\S+)$/

test('the printed command works in a shell: 200, and one line with five columns', async () => {
  const listener = await startListener()
  expect(new URL(listener.url).pathname).toBe(PATH)
  expect(new URL(listener.url).hostname).toBe('127.0.0.1')
  const sent = await shell(listener.command)
  expect(sent).toMatchObject({ code: 0, stderr: '' })
  expect(sent.stdout).toBe('200 OK\n{"accepted":true}\n')

  const [line = ''] = await listener.deliveries(1)
  const [, time, status, ms, result, eventId] = COLUMNS.exec(line) ?? []
  expect(time).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(eventId).toMatch(/^[0-9a-f-]{36}$/)
  expect([result, status]).toEqual(['accepted', '200'])
  expect(Number(ms)).toBeGreaterThan(0)
})

test('a generated secret is 256 bits, printed once', async () => {
  const listener = await startListener()
  const [, secret = ''] = /^HOOKGATE_SECRET=([A-Za-z0-9_-]{43}) node /.exec(listener.command) ?? []
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  await shell(listener.command)
  await listener.deliveries(1)
  expect(`${listener.stdout.text}${listener.stderr.text}`.split(secret)).toHaveLength(2)
})

test('the printed command works with npx itself, in the clone', { timeout: 60_000 }, async () => {
  const listener = await startListener()
  // Offline and with its own cache, so that npm runs the package's own bin and leaves nothing behind.
  const env = { npm_config_cache: await temporaryDirectory(), npm_config_offline: 'true' }
  const sent = await run('sh', ['-c', listener.command], { cwd: ROOT, env })
  expect(sent).toMatchObject({ code: 0, stdout: '200 OK\n{"accepted":true}\n' })
})

test('send --duplicate shows 200, then 409, and exits 0', async () => {
  const listener = await startListener()
  const sent = await shell(`${listener.command} --duplicate`)
  expect(sent.code).toBe(0)
  expect(sent.stdout).toMatch(/^200 OK\n.*\n409 Conflict\n.*"code":"event_duplicate".*\n$/)
  expect(sent.stderr).toMatch(/^hint: .*success/)
  const lines = await listener.deliveries(2)
  expect(lines.map((line) => COLUMNS.exec(line)?.filter((_, at) => [2, 4].includes(at)))).toEqual([
    ['200', 'accepted'],
    ['409', 'event_duplicate'],
  ])
})

test('send --duplicate exits 1 when it is not exactly 200, then 409', async () => {
  const listener = await startListener()
  const again = `${listener.command} --duplicate --event-id ${randomUUID()}`
  expect((await shell(again)).code).toBe(0)
  const second = await shell(again)
  expect(second.code).toBe(1)
  expect(second.stdout.match(/^409/gm)).toHaveLength(2)
})

test.each([
  { args: '--tamper', status: '401 Unauthorized', reason: 'signature_mismatch' },
  { args: '--skew -301', status: '400 Bad Request', reason: 'timestamp_out_of_range' },
  { args: '--skew 400', status: '400 Bad Request', reason: 'timestamp_out_of_range' },
  { args: '--timestamp 1790000000000', status: '400 Bad Request', reason: 'timestamp_malformed' },
  { args: '--event-id 1', status: '400 Bad Request', reason: 'event_id_not_uuid_v4' },
])('send $args shows $status and exits 1', async ({ args, status, reason }) => {
  const listener = await startListener()
  const sent = await shell(`${listener.command} ${args}`)
  expect(sent.code).toBe(1)
  expect(sent.stdout.startsWith(`${status}\n`)).toBe(true)
  expect(sent.stderr).toMatch(/^hint: [^\n]+\n$/)
  const [line = ''] = await listener.deliveries(1)
  expect(COLUMNS.exec(line)?.[4]).toBe(reason)
})

test.each([
  ['{}', '--tamper'],
  ['true', '--tamper'],
  ['"\\n"', '--tamper'],
  ['10', '--tamper'],
])('a tampered %s is still JSON, so it is the signature that fails', async (body) => {
  const listener = await startListener([], { env: { HOOKGATE_SECRET: SECRET } })
  const env = { HOOKGATE_SECRET: SECRET }
  const sent = await runCommand(['send', listener.url, '--data', body, '--tamper'], { env })
  expect(sent.stdout.split('\n')[0]).toBe('401 Unauthorized')
})

test('the body comes from --data, a file or standard input, byte for byte', async () => {
  const env = { HOOKGATE_SECRET: SECRET }
  const { url } = await startListener([], { env })
  const body = '{"text":"ä 😀",\r\n "n": 1.0}\n'
  const file = await temporaryFile('body.json', body)
  const ways = [
    await runCommand(['send', url, '--data', body], { env }),
    await runCommand(['send', url, '--file', file], { env }),
    await runCommand(['send', url], { env, input: body }),
    await runCommand(['send', url, '--file', '-'], { env, input: body }),
  ]
  expect(ways.map(({ code }) => code)).toEqual([0, 0, 0, 0])
})

test('listen --json prints NDJSON and nothing else; send --json too', async () => {
  const listener = await startListener(['--json'])
  const sent = await shell(`${listener.command} --json --duplicate`)
  const answers = sent.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 200],
    [2, 409],
  ])
  expect(answers.map((answer) => Object.keys(answer))).toEqual(
    answers.map(() => ['attempt', 'status', 'body', 'eventId']),
  )
  await listener.deliveries(2)
  const lines = listener.stdout.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map((line) => Object.keys(line))).toEqual(
    lines.map(() => [
      'time',
      'listener',
      'eventId',
      'eventType',
      'unsigned',
      'status',
      'verdict',
      'reason',
      'ms',
    ]),
  )
  expect(lines).toMatchObject([
    { listener: 'demo', eventId: answers[0].eventId, verdict: 'accepted', reason: null, status: 200 },
    {
      listener: 'demo',
      eventId: answers[0].eventId,
      verdict: 'refused',
      reason: 'event_duplicate',
      status: 409,
    },
  ])
})
