import { describe, expect, it } from 'vitest'
import document from '../docs/vectors/deliveries.json' with { type: 'json' }
import { defineListener, hmac, verify } from '../src/index.ts'
import { jwt, localKeySet } from '../src/jwt.ts'
import { memoryStore } from '../src/stores/memory.ts'

type Headers = { readonly [name: string]: string | readonly string[] }
interface Vector {
  readonly name: string
  readonly listener: string
  readonly headers: Headers
  readonly bodyBase64: string
  readonly status: number
  readonly reason?: string
}

const clock = { now: () => document.now * 1000 }
const AUTH = {
  hmac: () => hmac(document.listeners.hmac),
  jwt: () => {
    const { jwks, ...names } = document.listeners.jwt
    return jwt({ ...names, keySet: localKeySet(jwks) })
  },
}

describe.each(Object.entries(AUTH))('docs/vectors/deliveries.json, %s', (method, auth) => {
  const vectors: readonly Vector[] = document.deliveries.filter(({ listener }) => listener === method)
  // In order and on one listener, because duplicates follow the original.
  const listener = defineListener({ id: 'vectors', auth: auth(), store: memoryStore(), clock })

  it.each(vectors)('$name: $status $reason', async ({ headers, bodyBase64, status, reason }) => {
    const body = Uint8Array.from(atob(bodyBase64), (character) => character.charCodeAt(0))
    const header = (name: string) => headers[name]
    const verdict = await verify({ method: 'POST', header, body, sourceIp: undefined }, listener)
    const answer = verdict.ok ? { status: 200 } : { status: verdict.status, reason: verdict.reason }
    expect(answer).toEqual(reason === undefined ? { status } : { status, reason })
    if (verdict.ok) expect(await verdict.event.commit()).toBe('committed')
  })

  it('the vectors are many', () => {
    expect(vectors.length).toBeGreaterThan(30)
  })
})
