import { hashWith } from '#crypto'
import type { HashedBytes } from '../../lib/unread.ts'
import { readByteSequences } from './signature-input.ts'

const HASHES: ReadonlyMap<string, 'sha256' | 'sha512'> = /* @__PURE__ */ new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
])

/** Why a `Content-Digest` (RFC 9530) is not of this body. Undefined if it is. Ignores digests of other algorithms. */
export async function digestProblem(body: HashedBytes, header: string): Promise<string | undefined> {
  const digests = readByteSequences(header)
  if (digests === undefined) return 'Content-Digest is malformed'
  const known = [...digests].flatMap(([name, given]) => {
    const algorithm = HASHES.get(name)
    return algorithm === undefined ? [] : [{ algorithm, given }]
  })
  if (known.length === 0) return 'Content-Digest has neither sha-256 nor sha-512'
  const right = await Promise.all(
    known.map(async ({ algorithm, given }) => {
      return (await hashWith(algorithm, 'base64')('', body, '', known.length)) === given
    }),
  )
  return right.every(Boolean) ? undefined : 'Content-Digest does not match the body'
}
