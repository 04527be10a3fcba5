import { ApiVersion, shopifyApi } from '@shopify/shopify-api'
import '@shopify/shopify-api/adapters/node'
import { nodeHeaders, text } from './reading.mjs'

export async function verify({ headers, body, secret, method }) {
  const shopify = shopifyApi({
    apiSecretKey: secret,
    apiKey: 'not-used',
    apiVersion: ApiVersion.Latest ?? Object.values(ApiVersion)[0],
    hostName: 'receiver.example',
    isEmbeddedApp: false,
    logger: { log() {} },
  })
  const rawRequest = { method, url: '/', headers: nodeHeaders(headers) }
  return (await shopify.webhooks.validate({ rawBody: text(body), rawRequest, rawResponse: {} })).valid
}
