/** The three algorithms of specification 5.2. */
export const JWT_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const
export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number]

/** As the keys of Web Crypto name the algorithms (RFC 7518 3.3, 3.4; RFC 8037 3.1). */
export const SIGNATURES: Readonly<Record<JwtAlgorithm, KeyKind>> = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  EdDSA: { name: 'Ed25519' },
}

interface KeyKind {
  readonly name: string
  readonly hash?: string
  readonly namedCurve?: string
}

export type SignatureKey = Parameters<typeof crypto.subtle.verify>[1]

/**
 * Whether a public key was imported for exactly this algorithm. Neither Web Crypto (any hash, any curve) nor node:crypto
 * (any key) makes sure of that by itself.
 */
export function isKeyFor(algorithm: JwtAlgorithm, key: SignatureKey): boolean {
  const { name, hash, namedCurve } = SIGNATURES[algorithm]
  const kind: { name: string; hash?: { name: string }; namedCurve?: string } = key.algorithm
  return (
    kind.name === name &&
    kind.hash?.name === hash &&
    kind.namedCurve === namedCurve &&
    key.type === 'public' &&
    key.usages.includes('verify')
  )
}
