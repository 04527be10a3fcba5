import { createPublicKey } from 'node:crypto'
import { OAuth2Client } from 'google-auth-library'
import { nodeHeaders } from './reading.mjs'

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']

/** The SDK's own check, with the vectors' keys instead of fetched ones. The caller must compare the account. */
export async function verify({ headers, options, fetches }) {
  const [, token] = /^Bearer (.*)$/.exec(nodeHeaders(headers).authorization) ?? []
  const [{ body }] = Object.values(fetches)
  const pem = (key) => createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' })
  const keys = Object.fromEntries(body.keys.map((key) => [key.kid, pem(key)]))
  const ticket = await new OAuth2Client().verifySignedJwtWithCertsAsync(
    token,
    keys,
    options.audience,
    ISSUERS,
  )
  const { email, email_verified: isVerified } = ticket.getPayload()
  return isVerified === true && email === options.email
}
