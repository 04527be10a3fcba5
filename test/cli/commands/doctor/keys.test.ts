import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { secureKeyHost } from '../../../support/key-host.ts'
import { newKey } from '../../../support/keys.ts'
import { diagnose, serve } from './support.ts'

const { publicKey, keyObject } = newKey('ES256', 'first')
const PRIVATE = { ...keyObject.export({ format: 'jwk' }), kid: 'first' }
const { kid: _, ...NAMELESS } = publicKey as { kid: string } & object // of 1,024 bits
const SMALL_RSA = { kty: 'RSA', kid: 'r', e: 'AQAB', n: `v${'A'.repeat(170)}` } // 1,024 bits

async function file(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'jwks.json'), content)
  return join(folder, 'jwks.json')
}

const keySet = (...keys: object[]) => JSON.stringify({ keys })

describe('the check jwks', () => {
  it.each([
    [
      'a private key',
      keySet(PRIVATE),
      /^fail jwks: keys\[0\] is a private key, and everyone can read it → take the set offline/,
    ],
    [
      'a shared secret',
      keySet({ kty: 'oct', k: 'aHVudGVyMjI', kid: 'a' }),
      /^fail jwks: keys\[0\] is a shared secret, and everyone can read it → take the set offline/,
    ],
    ['a key without a kid', keySet(NAMELESS), /^fail jwks: keys\[0\] has no kid, .* → give each key a kid/],
    [
      'two keys with one kid',
      keySet(publicKey, publicKey),
      /^fail jwks: keys\[1\] has the kid of another key → give/,
    ],
    [
      'a small RSA key',
      keySet(SMALL_RSA),
      /^fail jwks: keys\[0\] is never used: .* bits, .* → make another key/,
    ],
    [
      'a key for encryption',
      keySet({ ...publicKey, use: 'enc' }),
      /^fail jwks: keys\[0\] is never used: its use is not sig → make another key/,
    ],
    [
      'an unsupported curve',
      keySet({ kty: 'EC', crv: 'P-521', kid: 'a', x: 'AA', y: 'AA' }),
      /^warn jwks: keys\[0\] has a type that hookgate never uses → use RSA, P-256 or Ed25519/,
    ],
    ['no keys', keySet(), /^fail jwks: the key set is empty → publish the public keys/],
    [
      'too many keys',
      keySet(...Array.from({ length: 101 }, (_, index) => ({ ...publicKey, kid: `${index}` }))),
      /^fail jwks: the key set has over 100 keys → remove old keys/,
    ],
    ['a page', '<!doctype html>', /^fail jwks: the key set is not JSON → give the URL of the key set/],
    ['a bare key', JSON.stringify(publicKey), /^fail jwks: this is not a key set, .* → correct the URL/],
    ['too many bytes', ' '.repeat(262_145), /^fail jwks: the key set is over 256 KB → remove old keys/],
  ])('jwks finds %s', async (_, content, complaint) => {
    const { code, complaints, output } = await diagnose(['--jwks', await file(content)])
    expect(complaints).toEqual([expect.stringMatching(complaint)])
    expect(code).toBe(complaint.source.startsWith('^fail') ? 1 : 0)
    expect(output).not.toContain('aHVudGVyMjI')
    expect(output).not.toContain(`${PRIVATE.d}`)
  })

  it('jwks finds a host that redirects, and one without TLS', async () => {
    const url = await serve(
      (_req, res) => void res.writeHead(302, { location: 'https://a.example/?t=hunter22' }).end(),
    )
    const { complaints, output } = await diagnose(['--jwks', `${url}/jwks.json`])
    expect(complaints).toEqual([
      expect.stringMatching(/^fail jwks: the key set is not served over https → serve it over TLS/),
      expect.stringMatching(
        /^fail jwks: .* redirects \(302\), and redirects are not followed → give the URL that it leads to/,
      ),
    ])
    expect(output).not.toContain('hunter22')
  })

  it('jwks finds servers that do not agree', async () => {
    let requests = 0
    const url = await serve((_req, res) => {
      requests += 1
      res.end(keySet({ ...publicKey, kid: `key-${requests}` }))
    })
    const { complaints } = await diagnose(['--jwks', url])
    expect(complaints).toContainEqual(
      expect.stringMatching(/^warn jwks: two fetches gave different sets → make all servers/),
    )
  })

  it('jwks finds a missing path', async () => {
    const url = await serve((_req, res) => void res.writeHead(404).end())
    const { complaints } = await diagnose(['--jwks', url])
    expect(complaints).toContainEqual(expect.stringMatching(/^fail jwks: .* answers 404 → correct the URL/))
  })

  it('jwks finds nothing in a good set over TLS', async () => {
    const host = await secureKeyHost({ keys: [publicKey] })
    const ca = await file(host.certificate)
    const { code, findings, complaints } = await diagnose(['--jwks', host.url], {
      env: { NODE_EXTRA_CA_CERTS: ca },
    })
    expect(complaints).toEqual([])
    expect(findings.find(({ id }) => id === 'jwks')).toEqual({
      id: 'jwks',
      status: 'ok',
      seen: '1 usable key',
    })
    expect(code).toBe(0)
  })
})
