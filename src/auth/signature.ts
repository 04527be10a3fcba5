import type { CryptoKey } from 'jose'
import type { JwtAlgorithm, Token } from './token.ts'

/** RFC 7518 3.3, 3.4 and RFC 8037 3.1, as Web Crypto calls them. */
const PARAMETERS: Readonly<Record<JwtAlgorithm, { readonly name: string; readonly hash?: string }>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  EdDSA: { name: 'Ed25519' },
}

const encoder = new TextEncoder()

/**
 * Whether a token's signature verifies with a key (RFC 7515 5.2). The token has passed the fence and the key was made
 * for the algorithm, so nothing is left of a JWS verification but this: a library would read the token again for it.
 */
export async function signatureVerifies(token: Token, key: CryptoKey): Promise<boolean> {
  try {
    const signed = encoder.encode(token.signingInput)
    return await crypto.subtle.verify(PARAMETERS[token.algorithm], key, token.signature, signed)
  } catch {
    return false
  }
}
