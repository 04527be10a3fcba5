import { type Delivery, headerOf } from '../src/delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { printable } from './output.ts'

/** What a refused token says of itself, beside what was wanted. Nothing is verified, and the signature stays out. */
export function tokenSays(delivery: Delivery, { subject, audience }: Endpoint): readonly string[] {
  const [header, claims] = String(headerOf(delivery, 'authorization') ?? '')
    .replace(/^bearer /i, '')
    .split('.')
    .map(readSegment)
  if (header === undefined || claims === undefined) return []
  const wanted = (claim: string, value: string) =>
    `${claim} ${show(claims[claim])}${claims[claim] === value ? '' : `, wanted: ${show(value)}`}`
  return [
    `kid ${show(header.kid)}, alg ${show(header.alg)}`,
    wanted('sub', subject),
    wanted('aud', audience),
    `jti ${show(claims.jti)}, htm ${show(claims.htm)}, exp ${show(claims.exp)}`,
  ].map((line) => `token: ${line}`)
}

type Members = { readonly [member: string]: unknown }

function readSegment(segment: string): Members | undefined {
  try {
    return Object(JSON.parse(Buffer.from(segment, 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : printable(JSON.stringify(value))
}
