import { EventEmitter } from 'node:events'
import https from 'node:https'
import { Readable } from 'node:stream'
import { verifyVercelOidcToken } from '@vercel/oidc'
import { nodeHeaders, passes } from './reading.mjs'

const real = https.get

/** As `createConnectWebhookVerifier` of `@vercel/connect` calls it, with the vectors' keys instead of fetched ones. */
export async function verify({ headers, options: { projectId, environment, ownerId }, fetches }) {
  const token = /^Bearer\s+(.+)$/i.exec(nodeHeaders(headers).authorization ?? '')?.[1]?.trim()
  if (token === undefined) return false
  const [{ body }] = Object.values(fetches)
  https.get = () => {
    const request = new EventEmitter()
    const response = Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), { statusCode: 200 })
    queueMicrotask(() => request.emit('response', response))
    return request
  }
  try {
    return await passes(() => verifyVercelOidcToken(token, { projectId, environment, ownerId }))
  } finally {
    https.get = real
  }
}
