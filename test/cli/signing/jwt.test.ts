import { once } from 'node:events'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXIT } from '../../../cli/command-line/exit.ts'
import { keys } from '../../../cli/commands/keys.ts'
import { runCommand } from '../shared-process.ts'
import { hookgate, shell, startListener, temporaryDirectory } from '../support.ts'

const PRIVATE = 'hookgate-private.jwk.json'
const JWKS = 'hookgate-jwks.json'

async function directoryWithKeys(...args: string[]): Promise<string> {
  const cwd = await temporaryDirectory()
  expect((await runCommand(['keys', ...args], { cwd })).code).toBe(0)
  return cwd
}

async function readJson(...path: string[]) {
  return JSON.parse(await readFile(join(...path), 'utf8'))
}

test.each(['RS256', 'ES256', 'EdDSA'])('%s: keys, listen, send, with the printed commands', async (alg) => {
  const cwd = await temporaryDirectory()
  const made = await hookgate(['keys', '--alg', alg], { cwd })
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const [, args = ''] = /^ {2}node \S+ listen (.*)/m.exec(made.stdout) ?? []
  const listener = await startListener(args.split(' '), { cwd })

  const [, printed = ''] = /^ {2}(node \S+ send .*)$/m.exec(made.stdout) ?? []
  const fromKeys = await shell(printed.replace(/http:\S+/, listener.url), { cwd })
  expect(fromKeys).toMatchObject({ code: 0, stderr: '' })
  const duplicate = await shell(`${listener.command} --duplicate`, { cwd })
  expect(duplicate.code).toBe(0)
  expect(duplicate.stdout.match(/^\d+/gm)).toEqual(['200', '409'])
  const refused = await Promise.all(
    ['--tamper', '--skew -400', '--expires -1', '--expires 700', '--tenant-url http://other.example'].map(
      async (change) => shell(`${listener.command} ${change}`, { cwd }),
    ),
  )
  expect(refused.map(({ code, stdout }) => [code, stdout.slice(0, 3)])).toEqual(
    ['401', '400', '401', '401', '401'].map((status) => [1, status]),
  )
})

test('the URLs of --tenant-url and --public-url are used literally; a base URL gets the path', async () => {
  const cwd = await directoryWithKeys()
  const base = 'https://gw.example:8443/Tenants/a'
  const listener = await startListener(
    ['--jwks', JWKS, '--tenant-url', 'https://T.example/', '--public-url', `${base}/`],
    { cwd },
  )
  const audience = `${base}/api/v1/webhooks/incoming/demo`
  expect(listener.command).toContain(
    `--key ${PRIVATE} --tenant-url https://T.example/ --public-url ${audience} --data`,
  )
  expect((await shell(listener.command, { cwd })).code).toBe(0)
  const send = ['send', listener.url, '--key', PRIVATE, '--data', '{}', '--tenant-url']
  const withBase = await runCommand([...send, 'https://T.example/', '--public-url', base], { cwd })
  expect(withBase.code).toBe(0)
  const lower = await runCommand([...send, 'https://t.example/', '--public-url', base], { cwd })
  expect(lower.stdout).toMatch(/^401 /)
})

test('a token of another key is refused, and --explain tells why', async () => {
  const cwd = await directoryWithKeys('--kid', 'same')
  const other = await directoryWithKeys('--kid', 'same')
  const listener = await startListener(['--jwks', JWKS, '--explain'], { cwd })
  const sent = await shell(listener.command, { cwd: other })
  expect(sent.code).toBe(1)
  expect(sent.stderr).toMatch(/^hint: the token was refused/)
  await listener.stderr.waitFor(/the signature does not verify/)
})

test('a JWKS may come from a URL: https, or http on this machine if allowed', async () => {
  const cwd = await directoryWithKeys()
  const jwks = await readFile(join(cwd, JWKS))
  const host = createServer((_request, response) => void response.end(jwks)).listen(0, '127.0.0.1')
  onTestFinished(() => void host.close())
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo // only a pipe's address is a string
  const url = `http://127.0.0.1:${port}/jwks.json`

  const refused = await runCommand(['listen', '--port', '0', '--jwks', url])
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('add --allow-insecure-loopback')
  const elsewhere = await runCommand(['listen', '--jwks', 'http://192.0.2.1/', '--allow-insecure-loopback'])
  expect(elsewhere.code).toBe(2)

  const listener = await startListener(['--jwks', url, '--allow-insecure-loopback'], { cwd })
  expect((await shell(listener.command, { cwd })).code).toBe(0)
})

test('deliveries get 503 while the key host is down, and standard error says why', async () => {
  const cwd = await directoryWithKeys()
  const host = createServer((_request, response) => void response.writeHead(500).end()).listen(0, '127.0.0.1')
  onTestFinished(() => void host.close())
  await once(host, 'listening')
  const { port } = host.address() as AddressInfo // as above
  const args = ['--jwks', `http://127.0.0.1:${port}/`, '--allow-insecure-loopback', '--json']
  const listener = await startListener(args, { cwd })
  const sent = await shell(listener.command, { cwd })
  expect(sent).toMatchObject({ code: 1 })
  expect(sent.stdout).toMatch(/^503 Service Unavailable\n/)
  const [line = ''] = await listener.deliveries(1)
  expect(JSON.parse(line)).toMatchObject({ verdict: 'undecided', reason: 'unavailable', status: 503 })
  await listener.stderr.waitFor(/answered with status 500[^\n]*\nERR_KEY_SET: https:\S+#err_key_set\n/)
})

test('keys writes a private file for its owner only, and never over another', async () => {
  const cwd = await directoryWithKeys('--kid', 'k1', '--out', 'a/b')
  const out = join(cwd, 'a/b')
  expect((await stat(join(out, PRIVATE))).mode & 0o777).toBe(0o600)
  const jwk = await readJson(out, PRIVATE)
  expect(jwk).toMatchObject({ alg: 'EdDSA', kid: 'k1', kty: 'OKP', d: expect.any(String) })
  const { d: _, ...publicMembers } = jwk
  expect(await readJson(out, JWKS)).toEqual({ keys: [publicMembers] })

  const again = await runCommand(['keys', '--out', 'a/b'], { cwd })
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('add --force')
  expect(await readJson(out, PRIVATE)).toEqual(jwk)
  const forced = await runCommand(['keys', '--out', 'a/b', '--force'], { cwd })
  expect(forced.code).toBe(0)
  expect(forced.stdout).not.toContain((await readJson(out, PRIVATE)).d)
  expect((await stat(join(out, PRIVATE))).mode & 0o777).toBe(0o600)
})

test('keys says which directory it cannot create, and does not wait there forever', async () => {
  expect(await runCommand(['keys', '--out', '/proc/no/such'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'hookgate keys: cannot create the directory /proc/no/such; choose another with --out\n',
  })
})

test('keys shares a new directory with others that create it at the same moment', async () => {
  const out = join(await temporaryDirectory(), 'new')
  const runs = ['a', 'b', 'c'].map((name) => keys.run(['--out', join(out, name)]))
  expect(await Promise.all(runs)).toEqual([EXIT.done, EXIT.done, EXIT.done])
})

test('keys --force does not replace a directory', async () => {
  const cwd = await temporaryDirectory()
  await mkdir(join(cwd, JWKS))
  expect(await runCommand(['keys', '--force'], { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr: `hookgate keys: cannot replace ${JWKS}; choose another directory with --out\n`,
  })
})

test.each([
  ['public', { kty: 'OKP', crv: 'Ed25519', x: 'AA', alg: 'EdDSA', kid: 'k' }, 'not a private JWK'],
  ['without alg', { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'MARK', kid: 'k' }, 'add its "alg"'],
  ['without kid', { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'MARK', alg: 'EdDSA' }, 'add its "kid"'],
  [
    'broken',
    { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'MARK', alg: 'EdDSA', kid: 'k' },
    'this key cannot sign',
  ],
  ['of an unknown alg', { kty: 'OKP', x: 'AA', d: 'MARK', alg: 'none', kid: 'k' }, 'this key cannot sign'],
])('a key that is %s is a usage error that does not repeat it', async (_, jwk, problem) => {
  const cwd = await temporaryDirectory()
  await writeFile(join(cwd, 'key.json'), JSON.stringify(jwk))
  const ended = await runCommand(['sign', 'http://x.example/', '--data', '{}', '--key', 'key.json'], { cwd })
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toContain(problem)
  expect(ended.stderr).not.toContain('MARK')
})
