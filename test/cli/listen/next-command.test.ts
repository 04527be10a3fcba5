import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hookgate, SECRET, shell, startListener, temporaryDirectory } from '../support.ts'

const WHSEC = 'whsec_0123456789abcdefghijklmnopqrstuv'
const SET_IT = 'Next, in another terminal where HOOKGATE_SECRET is the same secret:'
const SENT = { code: 0, stdout: expect.stringContaining('200 OK') }

test.each([
  ['hookgate itself', SECRET, []],
  ['Stripe', WHSEC, ['--scheme', 'stripe']],
])(
  'the secret of %s comes from the environment: listen says that the next command needs it there',
  async (_, secret, args) => {
    const listener = await startListener(args, { env: { HOOKGATE_SECRET: secret } })
    expect(listener.stdout.text).toContain(`${SET_IT}\n  ${listener.command}\n`)
    expect(listener.stdout.text).not.toContain(secret)
    expect(await shell(listener.command, { env: { HOOKGATE_SECRET: secret } })).toMatchObject(SENT)
  },
)

test.each([
  ['hookgate itself', SECRET, []],
  ['Stripe', WHSEC, ['--scheme', 'stripe']],
])('the secret of %s comes from a file: the next command runs as it is printed', async (_, secret, args) => {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, "my secret's.txt"), secret)
  const listener = await startListener([...args, '--secret-file', "my secret's.txt"], { cwd })
  expect(listener.stdout.text).toContain('Next, in another terminal:\n')
  expect(await shell(listener.command, { cwd })).toMatchObject(SENT)
})

test('a new secret is part of the next command, which runs as it is printed', async () => {
  const listener = await startListener()
  expect(await shell(listener.command)).toMatchObject(SENT)
})

const NO_FIFO = process.platform === 'win32' ? ' (skipped: no named pipes here)' : ''

test.skipIf(NO_FIFO)(
  `a pipe can be read only once, so the next command does not name it${NO_FIFO}`,
  async () => {
    const pipe = join(await temporaryDirectory(), 'pipe')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    const written = writeFile(pipe, SECRET)
    const listener = await startListener(['--secret-file', pipe])
    await written
    expect(listener.stdout.text).toContain(SET_IT)
    expect(listener.command).not.toContain(pipe)
    expect(await shell(listener.command, { env: { HOOKGATE_SECRET: SECRET } })).toMatchObject(SENT)
  },
)

test('only the sender has the private key: listen asks for a delivery of the sender, until you have that key too', async () => {
  const cwd = await temporaryDirectory()
  await hookgate(['keys', '--out', 'keys'], { cwd })
  const { x } = JSON.parse((await shell('cat keys/hookgate-private.jwk.json', { cwd })).stdout)
  const env = { HOOKGATE_SECRET: Buffer.from(x, 'base64url').toString('hex') }
  const ofDiscord = await startListener(['--scheme', 'discord'], { cwd, env })
  expect(ofDiscord.stdout.text).toContain('Next, have the sender call that URL.')
  await shell('mv keys/hookgate-jwks.json jwks.json', { cwd })
  const ofTokens = await startListener(['--jwks', 'jwks.json'], { cwd })
  expect(ofTokens.stdout.text).toContain('Next, have the sender call that URL.')
  await hookgate(['keys', '--out', 'others'], { cwd })
  await shell('cp others/hookgate-private.jwk.json .', { cwd })
  const withAnother = await startListener(['--jwks', 'jwks.json'], { cwd })
  expect(withAnother.stdout.text).toContain('Next, have the sender call that URL.')
  const ofAnother = await startListener(['--scheme', 'discord'], { cwd, env })
  expect(ofAnother.stdout.text).toContain('Next, have the sender call that URL.')
  await shell('cp keys/hookgate-private.jwk.json .', { cwd })
  expect(
    await shell((await startListener(['--scheme', 'discord'], { cwd, env })).command, { cwd }),
  ).toMatchObject(SENT)
  const withKey = await startListener(['--jwks', 'jwks.json'], { cwd })
  expect(await shell(withKey.command, { cwd })).toMatchObject(SENT)
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

test.each<readonly [host: string, more: readonly string[]]>([
  ['127.0.0.1', []],
  ['0.0.0.0', ['--path', "/it's/(here)"]],
  ...(hasIpv6
    ? ([
        ['::1', ['--listener-id', 'a b']],
        ['::', []],
      ] as const)
    : []),
])(
  'the next command runs as it is printed on %s, behind an app, a store, networks and a limit',
  async (host, more) => {
    const cwd = await temporaryDirectory()
    const app = await startListener(['--json'], { env: { HOOKGATE_SECRET: SECRET } })
    const forwarding = ['--forward-to', app.url, '--forward-secret-file', 'secret.txt']
    forwarding.push('--forward-format', 'hookgate')
    const limits = ['--allow-cidr', '127.0.0.1/32', '--allow-cidr', '::1/128', '--max-body', '17b']
    await writeFile(join(cwd, 'secret.txt'), SECRET)
    const listener = await startListener(
      ['--host', host, '--store', 'sqlite:events.db', ...forwarding, ...limits, ...more],
      { cwd },
    )
    expect(await shell(listener.command, { cwd })).toMatchObject(SENT)
  },
)

test.each([
  ['a body that is larger than the sample', ['--max-body', '16b']],
  ['other networks only', ['--allow-cidr', '192.0.2.0/24']],
])(
  'listen takes %s: it asks for a delivery of the sender, because the command would be refused',
  async (_, args) => {
    const listener = await startListener(args)
    expect(listener.stdout.text).toContain('Next, have the sender call that URL.')
  },
)
