import { token } from '../token-cases.mjs'

const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const given = (name, value, expect) => ({ name, change: { value }, expect })
const ID = 'A234-1234-1234'
const BODY = `{"specversion": "1.0", "type": "com.example.made.up", "source": "/mycontext", "id": "${ID}", "time": "2025-11-20T11:59:59Z", "datacontenttype": "application/json", "data": {"a": 1}}`

const recipe = token('cloudevents', 'Authorization', {
  source: 'CloudEvents, HTTP 1.1 Web Hooks for Event Delivery, 1.0.2',
  contentType: 'application/cloudevents+json; charset=utf-8',
  body: BODY,
  expect: { id: ID },
  without: ['the token as a bearer token'],
  moreCases: ({ keys }) => [
    given('the token without a scheme', () => keys.new, { ok: true }),
    given('the scheme in lower case, as RFC 9110 allows', (all) => all.replace('Bearer', 'bearer'), {
      ok: true,
    }),
    given('the token under another scheme', (all) => all.replace('Bearer', 'Basic'), mismatch),
    given('the scheme twice', (all) => `Bearer ${all}`, mismatch),
    given('the scheme alone', () => 'Bearer ', mismatch),
  ],
})

export default [
  {
    ...recipe,
    signature: { ...recipe.signature, sign: ({ secret }) => Buffer.from(`Bearer ${secret}`) },
  },
]
