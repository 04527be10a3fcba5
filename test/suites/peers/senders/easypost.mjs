import EasyPost from '@easypost/api'
import { nodeHeaders, passes } from './reading.mjs'

const client = new EasyPost('a key for tests')

export const verify = ({ headers, body, secret }) =>
  passes(() => client.Utils.validateWebhook(Buffer.from(body), nodeHeaders(headers), secret))
