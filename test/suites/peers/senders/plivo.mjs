import plivo from 'plivo'
import { nodeHeaders, text } from './reading.mjs'

/** The fields of a form as `express.urlencoded()` gives them: a string, or an array of strings. */
function formOf(body) {
  const fields = {}
  for (const [name, value] of new URLSearchParams(text(body))) {
    fields[name] = name in fields ? [fields[name], value].flat() : value
  }
  return fields
}

export function verify({ headers, body, secret, url, method }) {
  const { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': nonce } = nodeHeaders(headers)
  return plivo.validateV3Signature(method, url, nonce, secret, signature, formOf(body))
}
