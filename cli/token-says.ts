import { readBearerToken } from '../src/auth/token.ts'
import { type Delivery, headerOf } from '../src/delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { printable } from './output.ts'

/** What a refused token says of itself, beside what was wanted. Unverified, and without what would let it be used. */
export function tokenSays(delivery: Delivery, { subject, audience }: Endpoint): readonly string[] {
  const token = readBearerToken(String(headerOf(delivery, 'authorization') ?? ''))
  if (typeof token === 'string') return []
  const { keyId, algorithm, claims } = token
  const wanted = (claim: 'sub' | 'aud', value: string) =>
    `${claim} ${show(claims[claim])}${claims[claim] === value ? '' : `, wanted: ${show(value)}`}`
  return [
    `kid ${show(keyId)}, alg ${algorithm}`,
    wanted('sub', subject),
    wanted('aud', audience),
    `jti ${show(claims.jti)}, htm ${show(claims.htm)}, exp ${show(claims.exp)}`,
  ].map((line) => `token: ${line}`)
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : printable(JSON.stringify(value))
}
