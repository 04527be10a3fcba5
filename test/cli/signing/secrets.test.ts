import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { chooseAuth } from '../../../cli/listen/auth.ts'
import { ERRORS_PAGE } from '../../../src/errors.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { runCommand } from '../shared-process.ts'
import { SECRET, shell, startListener, temporaryDirectory, temporaryFile } from '../support.ts'

test('a secret from the environment is never echoed', async () => {
  const env = { HOOKGATE_SECRET: SECRET }
  const listener = await startListener(['--explain'], { env })
  expect(listener.command).toBe(`node dist/cli/main.js send ${listener.url} --data '{"hello":"world"}'`)
  const outputs = [
    await shell(listener.command, { env }),
    await shell(`${listener.command} --tamper`, { env }),
    await runCommand(['sign', '--data', '{}', '--curl', listener.url], { env }),
    await runCommand(['verify', '--header', 'a: b', '--explain'], { env }),
  ]
  await listener.deliveries(2)
  expect(await listener.stop()).toBe(0)
  const all = outputs.map(({ stdout, stderr }) => stdout + stderr)
  expect([...all, listener.stdout.text, listener.stderr.text].join('')).not.toContain(SECRET)
})

test('a secret from a file is never echoed; its last line break is not part of it', async () => {
  const file = await temporaryFile("the secret's file", `${SECRET}\r\n`)
  const listener = await startListener(['--secret-file', file])
  const sent = await shell(listener.command)
  expect(sent.code).toBe(0)
  const fromEnv = await runCommand(['send', listener.url, '--data', '{}'], {
    env: { HOOKGATE_SECRET: SECRET },
  })
  expect(fromEnv.code).toBe(0)
  await listener.deliveries(2)
  expect(listener.stdout.text + listener.stderr.text + sent.stdout + sent.stderr).not.toContain(SECRET)
})

test('a secret is read once, so it may come from a pipe, as in --secret-file <(pass show stripe)', async () => {
  const pipe = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const [{ secret }] = await Promise.all([
    chooseAuth({ scheme: 'stripe', 'secret-file': pipe }),
    writeFile(pipe, 'whsec_of_this_test\n'),
  ])
  expect(secret).toBe('whsec_of_this_test')
})

test.each([
  ['with a byte order mark', Buffer.from(`\ufeff${SECRET}`)],
  ['in UTF-16', Buffer.from(`\ufeff${SECRET}`, 'utf16le')],
])('a secret from a file %s is refused, because those bytes would be part of the key', async (_, content) => {
  const file = await temporaryFile('secret.txt', content)
  const ended = await runCommand(['sign', '--data', '{}', '--secret-file', file])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain('save it as UTF-8 without BOM')
})

test.each(['', '\n', ' '.repeat(20)])('a file that holds %o is an empty secret', async (content) => {
  const file = await temporaryFile('secret.txt', content)
  const ended = await runCommand(['listen', '--port', '0', '--secret-file', file])
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(`--secret-file ${file}: the file is empty; write the secret to it\n`)
})

test.each([
  ['short', 'must have at least 16 characters'],
  ['', 'looks empty or unset; set the environment variable, e.g. by node --env-file=.env'],
  [' '.repeat(20), 'must have at least 16 characters'],
])('the secret %o is refused without repeating it', async (secret, problem) => {
  const ended = await runCommand(['listen', '--port', '0'], { env: { HOOKGATE_SECRET: secret } })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  const [says, see, entry] = ended.stderr.split('\n')
  expect(says).toBe(`hookgate listen: HOOKGATE_SECRET: ${problem}`)
  expect(see).toBe('See: hookgate listen --help')
  expect(entry).toBe(`ERR_LISTENER_CONFIG: ${ERRORS_PAGE}err_listener_config`)
})

test('a secret cannot be an option, and one given like that is not repeated', async () => {
  for (const args of [['--secret', SECRET], [`--secret=${SECRET}`], [SECRET]]) {
    const ended = await runCommand(['listen', ...args])
    expect(ended.code).toBe(2)
    expect(ended.stderr).not.toContain(SECRET)
  }
})

/** Three characters in a row of any password below. */
const OF_A_PASSWORD = /q7@|7@x|@xz|xz\/|z\/w|w9v|9vk|vkj|v%3A|40x/

test.each([
  'redis://:q7@xz/w9vkj@127.0.0.1:1',
  'redis://me:12?w9vkj@127.0.0.1:1/0',
  'redis://:w9vkj%40xz@127.0.0.1:1/0',
  'postgres://me:w9v%3Akj@127.0.0.1:1/hooks?application_name=w9vkj',
  'mysql://me:w9vkj@127.0.0.1:1/hooks',
])('no three characters of the password in --store %s are printed', async (store) => {
  const { code, stdout, stderr } = await runCommand(['listen', '--port', '0', '--store', store])
  expect(code).toBeGreaterThan(0)
  expect(stdout + stderr).not.toMatch(OF_A_PASSWORD)
})

test('a store in the wrong place is not repeated', async () => {
  const store = 'redis://:q7@xz/w9vkj@127.0.0.1:1'
  const ended = await Promise.all([
    runCommand(['listen', '--port', '0'], { env: { HOOKGATE_STORE: store } }),
    runCommand(['listen', store]),
    runCommand(['listen', `--stor=${store}`]),
    runCommand(['send', store, '--data', '{}'], { env: { HOOKGATE_SECRET: SECRET } }),
    runCommand([store]),
  ])
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2])
  expect(ended.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toMatch(OF_A_PASSWORD)
})

test('hookgate secret prints 43 characters and nothing else, another each time', async () => {
  const [first, second] = await Promise.all([runCommand(['secret']), runCommand(['secret'])])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/^[A-Za-z0-9_-]{43}\n$/)
  expect(first.stdout).not.toBe(second.stdout)
})

test('hookgate secret --whsec prints a secret of Standard Webhooks: 32 bytes in padded base64', async () => {
  const [first, second] = await Promise.all([
    runCommand(['secret', '--whsec']),
    runCommand(['secret', '--whsec']),
  ])
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/)
  expect(first.stdout).not.toBe(second.stdout)
  expect(() => new Webhook(first.stdout.trim())).not.toThrow()
  expect(() => standardWebhooks({ secrets: first.stdout.trim() })).not.toThrow()
})
