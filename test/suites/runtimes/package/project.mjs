import { execFile } from 'node:child_process'
import { createHmac, createPublicKey, randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runnerImport } from 'vite'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const here = fileURLToPath(new URL('.', import.meta.url))
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const run = promisify(execFile)
const PEERS = Object.keys(manifest.peerDependencies)

/**
 * Packs the package as for publishing, and installs it twice: alone, and with its peers. A key host on loopback serves
 * the sender's keys.
 */
export async function packProject() {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  console.log('Packing, and installing in empty projects')
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: root,
  })
  const tarball = join(folder, JSON.parse(stdout.slice(stdout.indexOf('[')))[0].filename)
  const bare = await installIn(join(folder, 'bare'), [tarball])
  const peers = ['@hono/node-server', ...PEERS].map((name) => `${name}@${manifest.devDependencies[name]}`)
  const full = await installIn(join(folder, 'full'), [tarball, ...peers])
  const { fixture, jwks } = await makeFixture()
  const keyHost = await startKeyHost(jwks)
  return {
    bare,
    full,
    fixture: { ...fixture, keyHost: keyHost.url },
    close() {
      keyHost.server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function installIn(folder, packages) {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']
  await run('npm', ['install', ...quiet, ...packages], { cwd: folder })
  for (const name of readdirSync(here)) cpSync(join(here, name), join(folder, name))
  return folder
}

/** Keys, a signature and a forgery for every runtime. */
async function makeFixture() {
  const { newPrivateKey } = (await runnerImport(join(root, 'cli/signing/private-key.ts'))).module
  const pair = (alg) => {
    const key = newPrivateKey(alg)
    const named = { kid: `key-${alg}`, alg }
    return {
      privateKey: { ...key.export({ format: 'jwk' }), ...named },
      publicKey: { ...createPublicKey(key).export({ format: 'jwk' }), ...named },
    }
  }
  const keys = ['RS256', 'ES256', 'EdDSA'].map((alg) => ({ alg, good: pair(alg), other: pair(alg) }))
  const jwks = Object.fromEntries(keys.map(({ alg, good }) => [`/${alg}.json`, { keys: [good.publicKey] }]))
  const text = '1700000000.a0b1c2d3-e4f5-4678-9abc-def012345678.{"a":1}'
  const signature = createHmac('sha256', 'a secret of more than sixteen characters')
    .update(text)
    .digest('base64url')
  const subpaths = Object.keys(manifest.exports)
    .filter((subpath) => !/\.json$|\*/.test(subpath))
    .map((subpath) => `hookgate${subpath.slice(1)}`)
  const mark = `results ${randomBytes(8).toString('hex')} `
  return { fixture: { mark, signature, subpaths, peers: PEERS, keys, smallOrder: forgery() }, jwks }
}

/** The identity as a key: with R the identity and S = 0, a signature would fit every text (RFC 8032 5.1.7). */
function forgery() {
  const neutral = Buffer.alloc(32)
  neutral[0] = 1
  const publicKey = { kty: 'OKP', crv: 'Ed25519', kid: 'weak', x: neutral.toString('base64url') }
  const segment = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signature = Buffer.concat([neutral, Buffer.alloc(32)]).toString('base64url')
  return {
    publicKey,
    token: `${segment({ alg: 'EdDSA', kid: 'weak' })}.${segment({})}.${signature}`,
  }
}

/** Serves a key set once per query. A second fetch of the same URL means that the cache failed. */
async function startKeyHost(jwks) {
  const seen = new Set()
  const server = createServer(({ url }, response) => {
    const found = seen.has(url) ? undefined : jwks[new URL(url, 'http://localhost').pathname]
    seen.add(url)
    response
      .writeHead(found ? 200 : 404, { 'content-type': 'application/jwk-set+json' })
      .end(JSON.stringify(found))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${server.address().port}` }
}
