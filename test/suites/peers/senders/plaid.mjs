import { createHash } from 'node:crypto'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { nodeHeaders } from './reading.mjs'

/** The steps in Plaid's documentation, because its SDK has none of them. */
export async function verify({ headers, body, fetches }) {
  const token = nodeHeaders(headers)['plaid-verification']
  const { alg, kid } = decodeProtectedHeader(token)
  if (alg !== 'ES256') return false
  const [answers] = Object.values(fetches)
  const key = await importJWK(answers[kid].body.key, 'ES256')
  const { payload } = await jwtVerify(token, key, { algorithms: ['ES256'], maxTokenAge: '5 min' })
  return payload.request_body_sha256 === createHash('sha256').update(body).digest('hex')
}
