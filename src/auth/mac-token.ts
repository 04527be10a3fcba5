import type { Json } from '../lib/json.ts'
import { LONGEST_TOKEN, readObject } from './token.ts'

/** A token signed with a shared secret (HS256). Nothing about it is verified yet. */
export interface MacToken {
  /** The signed text: the first two segments and the dot between them (RFC 7515 5.2). */
  readonly signingInput: string
  /** In base64url, as in the token. */
  readonly signature: string
  readonly claims: { readonly [claim: string]: Json }
}

/** Reads `<JWT>` as narrowly as `readToken` does, for senders that use only HS256. Returns a string that says what is wrong, if anything. */
export function readMacToken(compact: string): MacToken | string {
  if (compact.length > LONGEST_TOKEN) return `the token is over ${LONGEST_TOKEN} characters`
  const segments = compact.split('.', 4)
  const [protectedHeader = '', payload = '', signature = ''] = segments
  if (segments.length !== 3 || signature === '') return 'the token does not have three segments'
  const header = readObject(protectedHeader)
  if (typeof header === 'string') return `the token header ${header}`
  if (header.alg !== 'HS256') return 'alg is not HS256'
  if ('crit' in header || 'b64' in header) return 'crit and b64 are not allowed'
  const claims = readObject(payload)
  if (typeof claims === 'string') return `the token payload ${claims}`
  return { signingInput: `${protectedHeader}.${payload}`, signature, claims }
}
