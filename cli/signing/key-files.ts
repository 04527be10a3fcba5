import type { JWK } from 'jose'
import type { KeySet } from '../../src/auth/jwks.ts'
import { UsageError } from '../command-line/exit.ts'
import { httpUrl, readGivenJson, toUsageError } from '../command-line/values.ts'

export const PRIVATE_KEY_FILE = 'hookgate-private.jwk.json'
export const JWKS_FILE = 'hookgate-jwks.json'

/** Opens the sender's public keys, from a file or an https URL. */
export async function openKeySet(source: string, allowInsecureLoopback: boolean): Promise<KeySet> {
  const { localKeySet, remoteKeySet } = await import('../../src/jwt.ts')
  try {
    if (!/^https?:\/\//i.test(source)) {
      const document = await readGivenJson('--jwks', source)
      // localKeySet refuses anything but a JWKS.
      return localKeySet(document as { readonly keys: readonly object[] })
    }
    if (httpUrl('--jwks', source).protocol === 'http:' && !allowInsecureLoopback) {
      throw new UsageError(
        '--jwks takes an https URL; for http on this machine, add --allow-insecure-loopback',
      )
    }
    return remoteKeySet(source, { allowInsecureLoopback })
  } catch (error) {
    throw error instanceof UsageError ? error : toUsageError(error, '--jwks')
  }
}

/** @throws UsageError unless the file holds a private JWK with `alg` and `kid`. */
export async function readPrivateKey(path: string): Promise<JWK> {
  const jwk: JWK = await readGivenJson('--key', path)
  if (typeof jwk.d !== 'string')
    throw new UsageError(`--key ${path}: not a private JWK (no "d"); make one with hookgate keys`)
  if (typeof jwk.alg !== 'string') throw new UsageError(`--key ${path}: add its "alg": RS256, ES256 or EdDSA`)
  if (typeof jwk.kid !== 'string')
    throw new UsageError(`--key ${path}: add its "kid", the same as in the JWKS`)
  return jwk
}
