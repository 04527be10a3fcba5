import { hashWith } from '#crypto'
import { readByteSequences } from './signature-input.ts'

const HASHES: ReadonlyMap<string, 'sha256' | 'sha512'> = /* @__PURE__ */ new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

/** Whether a `Content-Digest` (RFC 9530) matches the body. Ignores digests of other algorithms. */
export async function isDigestOf(body: Uint8Array, header: string): Promise<boolean> {
  const known = [...(readByteSequences(header) ?? [])].flatMap(([name, given]) => {
    const algorithm = HASHES.get(name)
    return algorithm === undefined ? [] : [{ algorithm, given }]
  })
  const right = await Promise.all(
    known.map(async ({ algorithm, given }) => {
      return (await hashWith(algorithm, 'base64')('', body, '', known.length)) === given
    }),
  )
  return right.length > 0 && right.every(Boolean)
}
