import { createHash } from 'node:crypto'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const notJson = { ok: false, status: 400, reason: 'body_not_json' }
const hashed = (url, body) => `${url}&bodySHA256=${createHash('sha256').update(body).digest('hex')}`
const JSON_BODY = '{"specversion": "1.0", "type": "com.twilio.studio.flow", "id": "EZ1"}'
const asJson = (list) =>
  list.map(([name, value]) => [name, name === 'Content-Type' ? 'application/json' : value])

/** The signature covers the query, and the query contains a hash of the JSON. */
export function twilioJsonCases(publicUrl) {
  const json = (name, body, expect, more = {}) => {
    const requestUrl = hashed(publicUrl, more.hashOf ?? body)
    return {
      name: `JSON: ${name}`,
      requestUrl,
      change: {
        body,
        value: (_, { signWith }) =>
          signWith({ url: more.signedUrl ?? requestUrl, json: true }).toString('base64'),
        headers: asJson,
        ...more.change,
      },
      expect,
      lax: more.lax,
    }
  }
  return [
    json('a delivery as the sender makes it', JSON_BODY, { ok: true }),
    json('characters outside ASCII', '{ "note": "Gr\u00fc\u00dfe, \u6f22\u5b57" }', { ok: true }),
    json('one byte changed', JSON_BODY, mismatch, {
      change: { sentBody: () => JSON_BODY.replace('EZ1', 'EZ2') },
    }),
    json('the hash of another body', JSON_BODY, mismatch, { hashOf: '{}' }),
    json('signed without the hash in the URL', JSON_BODY, mismatch, { signedUrl: publicUrl }),
    json('a body that is not JSON, correctly signed', '{"note": ', notJson, {
      lax: 'The SDK does not check the body.',
    }),
  ]
}
