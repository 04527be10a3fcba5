import twilio from 'twilio'
import { nodeHeaders, text } from './reading.mjs'

/** The fields of a form as `express.urlencoded()` gives them: a string, or an array of strings. */
function formOf(body) {
  const fields = {}
  for (const [name, value] of new URLSearchParams(text(body))) {
    fields[name] = name in fields ? [fields[name], value].flat() : value
  }
  return fields
}

const isJson = (type = '') => type.startsWith('application/json')

export function verify({ headers, body, secret, url }) {
  const { 'x-twilio-signature': signature = '', 'content-type': type } = nodeHeaders(headers)
  return isJson(type)
    ? twilio.validateRequestWithBody(secret, signature, url, text(body))
    : twilio.validateRequest(secret, signature, url, formOf(body))
}

export const sign = ({ secret, url, body }) => twilio.getExpectedTwilioSignature(secret, url, formOf(body))
