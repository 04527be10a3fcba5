import type { WrongRequest } from '../../src/testing/wrong-requests.ts'
import type { Case, Sign } from './case.ts'

/** One of the two methods: how it signs, and how it is got wrong. */
export interface Signer {
  /** The header that holds the signature. */
  readonly header: 'webhook-signature' | 'authorization'
  readonly sign: Sign
  /** Other ways to sign right. */
  readonly variants: readonly { readonly name: string; readonly rule: string; readonly sign: Sign }[]
  /** Changes to a signed delivery, which it must not survive. */
  readonly wrong: readonly WrongRequest[]
  /** What else must be refused, signed wrong from the start. */
  readonly refusals: readonly Case[]
}

/** The default body. */
export const BODY: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"hookgate":"conform"}')
