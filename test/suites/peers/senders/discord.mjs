import { verifyKey } from 'discord-interactions'
import { nodeHeaders } from './reading.mjs'

export function verify({ headers, body, secret }) {
  const given = nodeHeaders(headers)
  return verifyKey(body, given['x-signature-ed25519'] ?? '', given['x-signature-timestamp'] ?? '', secret)
}
