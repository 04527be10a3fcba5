import { createHmac, timingSafeEqual } from 'node:crypto'
import { httpbis } from 'http-message-signatures'
import { nodeHeaders } from './reading.mjs'

/** As the package's page demands: the body's digest and the time must be signed. */
export const verify = async ({ method, headers, secret, url }) => {
  const key = {
    algs: ['hmac-sha256'],
    verify: async (data, signature) => {
      const right = createHmac('sha256', secret).update(data).digest()
      return right.length === signature.length && timingSafeEqual(right, signature)
    },
  }
  return httpbis.verifyMessage(
    {
      keyLookup: async () => key,
      requiredFields: ['content-digest'],
      requiredParams: ['created'],
      maxAge: 300,
    },
    { method, url, headers: nodeHeaders(headers) },
  )
}
