import { type Delivery, headerOf } from '../delivery.ts'
import { bytesOfBase64 } from './digest-text.ts'

/**
 * What a `jwt()` listener expects of a token.
 *
 * @see {@link explain}
 */
export interface WantedClaims {
  /** `aud`: the full webhook endpoint URL. */
  readonly audience: string
  /** `sub`: the tenant base URL. */
  readonly subject: string
}

const LONGEST_TOKEN = 8192

/**
 * The claims of a refused token, next to the expected ones. Verifies nothing, and leaves out the signature.
 */
export function tokenClaims(delivery: Delivery, { subject, audience }: WantedClaims): readonly string[] {
  const token = String(headerOf(delivery, 'authorization') ?? '').replace(/^bearer /i, '')
  if (token.length > LONGEST_TOKEN) return []
  const [header, claims] = token.split('.', 2).map(readSegment)
  if (header === undefined || claims === undefined) return []
  const wanted = (claim: string, value: string) =>
    `${claim} ${show(claims[claim])}${claims[claim] === value ? '' : `, wanted: ${show(value)}`}`
  return [
    `kid ${show(header.kid)}, alg ${show(header.alg)}`,
    wanted('sub', subject),
    wanted('aud', audience),
    `jti ${show(claims.jti)}, htm ${show(claims.htm)}, exp ${show(claims.exp)}`,
  ]
}

type Members = { readonly [member: string]: unknown }

function readSegment(segment: string): Members | undefined {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytesOfBase64(segment))))
  } catch {
    return undefined
  }
}

function show(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value)
}
