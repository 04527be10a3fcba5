import type { WrongRequest } from '../../../src/testing/wrong-requests.ts'
import type { Case, Sign } from './case.ts'

/** A signing method: how to sign, and the mistakes that can be made. */
export interface SigningMethod {
  /** The header that holds the signature. */
  readonly header: 'webhook-signature' | 'authorization'
  readonly sign: Sign
  /** Other correct ways to sign. */
  readonly variants: readonly { readonly name: string; readonly rule: string; readonly sign: Sign }[]
  /** Changes to a signed delivery that must be refused. */
  readonly wrong: readonly WrongRequest[]
  /** Other deliveries that must be refused, wrongly signed from the start. */
  readonly refusals: readonly Case[]
}

/** The default body. */
export const BODY: Uint8Array<ArrayBuffer> = new TextEncoder().encode('{"hookgate":"conform"}')
