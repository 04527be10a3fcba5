import { WebhookSignatureValidator } from 'mercadopago'
import { nodeHeaders, passes } from './reading.mjs'

export const verify = ({ headers, secret, url }) =>
  passes(() => {
    const { 'x-signature': xSignature, 'x-request-id': xRequestId } = nodeHeaders(headers)
    const dataId = new URL(url).searchParams.get('data.id')
    WebhookSignatureValidator.validate({ xSignature, xRequestId, dataId, secret })
  })
