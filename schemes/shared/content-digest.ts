import { bytesOf, encodeBase64 } from '../../src/lib/bytes.ts'
import { readByteSequences } from './signature-input.ts'

const DIGESTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ['sha-256', 'SHA-256'],
  ['sha-512', 'SHA-512'],
])

/** Whether a `Content-Digest` (RFC 9530) matches the body. Ignores digests of other algorithms. */
export async function isDigestOf(body: Uint8Array, header: string): Promise<boolean> {
  const known = [...(readByteSequences(header) ?? [])].flatMap(([name, given]) => {
    const algorithm = DIGESTS.get(name)
    return algorithm === undefined ? [] : [{ algorithm, given }]
  })
  const right = await Promise.all(
    known.map(async ({ algorithm, given }) => {
      const digest = await crypto.subtle.digest(algorithm, bytesOf('', body, ''))
      return encodeBase64(new Uint8Array(digest)) === given
    }),
  )
  return right.length > 0 && right.every(Boolean)
}
