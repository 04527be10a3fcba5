import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { newPrivateKey } from '../../cli/signing/private-key.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { defineListener } from '../../src/index.ts'
import { jwt, remoteKeySet } from '../../src/jwt.ts'
import { deliver, jwks } from '../../src/sender/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { endpoint, LOOPBACK } from './endpoint.ts'

const privateJwk = (algorithm: 'RS256' | 'ES256' | 'EdDSA', kid: string = algorithm) => ({
  ...newPrivateKey(algorithm).export({ format: 'jwk' }),
  kid,
  alg: algorithm,
})
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
const KEYS = ALGORITHMS.map((algorithm) => privateJwk(algorithm))
const get = (method = 'GET') => new Request('https://sender.example/.well-known/jwks.json', { method })

describe('jwks', () => {
  it('jwks publishes the public members of private keys, and no other', async () => {
    const answer = jwks(KEYS)(get())
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(answer.headers.get('content-type')).toBe('application/json')
    const text = await answer.text()
    const { keys } = JSON.parse(text)
    expect(keys.map((key: object) => Object.keys(key).toSorted())).toEqual([
      ['alg', 'e', 'kid', 'kty', 'n', 'use'],
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'],
    ])
    for (const key of KEYS) expect(text).not.toContain(key.d)
  })

  it('jwks publishes public keys unchanged', async () => {
    const first = await jwks(KEYS)(get()).text()
    expect(await jwks(JSON.parse(first).keys)(get()).text()).toBe(first)
  })

  it('jwks answers HEAD without a body, and other methods with 405', async () => {
    const handler = jwks(KEYS)
    expect(await handler(get('HEAD')).text()).toBe('')
    expect(handler(get('POST')).status).toBe(405)
  })

  it.each([
    ['no key', []],
    ['101 keys', Array.from({ length: 101 }, (_, index) => ({ ...KEYS[1], kid: `${index}` }))],
    ['two keys with one kid', [privateJwk('ES256', 'a'), privateJwk('EdDSA', 'a')]],
    ['a key without a kid', [{ ...KEYS[1], kid: undefined }]],
    ['a symmetric key', [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }]],
    [
      'a key of P-384',
      [
        {
          ...generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
          kid: 'a',
        },
      ],
    ],
    [
      'an RSA key of 1,024 bits',
      [
        {
          ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }),
          kid: 'a',
        },
      ],
    ],
    ['a key for encryption', [{ ...KEYS[1], use: 'enc' }]],
    ['no list', Object(KEYS[1])],
  ])('jwks refuses %s, and quotes no key', (_, keys) => {
    expect(() => jwks(keys)).toThrow(ListenerConfigError)
    expect(() => jwks(keys)).not.toThrow(/c2VjcmV0/)
  })

  it.each(KEYS)(
    'jwks serves a set with which a receiver accepts a delivery signed with $alg',
    async (privateKey) => {
      const handler = jwks(KEYS)
      const host = await endpoint((request, response) => {
        const answer = handler(new Request(`http://${request.headers.host}${request.url}`))
        void answer
          .text()
          .then((text) => response.writeHead(answer.status, [...answer.headers.entries()].flat()).end(text))
      })
      const keySet = remoteKeySet(host.url, { allowInsecureLoopback: true })
      const audience = 'https://receiver.example/hooks'
      const auth = jwt({ keySet, subject: 'https://tenant.example', audience })
      const receive = webhookHandler(
        defineListener({ id: 'jwks', auth, store: memoryStore() }),
        () => undefined,
      )
      const { url } = await endpoint((request, response) => {
        const parts: Buffer[] = []
        request.on('data', (part) => parts.push(part))
        request.on('end', async () => {
          const headers = Object.entries(request.headers).map(
            ([name, value]) => [name, String(value)] as [string, string],
          )
          const answer = await receive(
            new Request(audience, { method: 'POST', headers, body: Buffer.concat(parts) }),
          )
          response.writeHead(answer.status).end(await answer.text())
        })
      })
      const event = { id: crypto.randomUUID(), body: '{}' }
      const attempt = await deliver({ url, privateKey, subject: 'https://tenant.example', audience }, event, {
        agents: LOOPBACK,
      })
      expect(attempt).toMatchObject({ outcome: 'done' })
    },
  )
})
