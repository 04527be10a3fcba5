import { createHash } from 'node:crypto'
import { NOW } from '../common.mjs'
import { secretsOf } from '../keys.mjs'
import { hmac } from '../sign.mjs'

const unauthorized = { ok: false, status: 401 }
const mismatch = { ok: false, status: 401, reason: 'signature_mismatch' }
const IN_BODY = {
  'signature header': 'The signature stands in the body.',
  'a list of signatures': 'The body holds one signature.',
}

const braintreeKeys = secretsOf('braintree', (bytes) => bytes.toString('hex').slice(0, 32))
const PUBLIC = { new: 'integration_public_key', old: 'former_public_key' }
const XML =
  '<notification>\n  <timestamp type="datetime">2025-11-20T11:59:59Z</timestamp>\n  <kind>subscription_went_past_due</kind>\n  <subject><subscription><id>my_id</id><transactions type="array"></transactions><add_ons type="array"></add_ons><discounts type="array"></discounts></subscription></subject>\n</notification>\n'

/** Base64 in lines of 60 characters, as Braintree writes it. */
const lines = (xml) => `${Buffer.from(xml).toString('base64').replace(/.{60}/g, '$&\n')}\n`
const mac = (payload, secret = braintreeKeys.new) =>
  hmac('sha1', createHash('sha1').update(secret).digest(), [payload])

const fields = (payload, signature) =>
  String(new URLSearchParams({ bt_signature: signature, bt_payload: payload }))
const form = (name, body, expect, more = {}) => ({
  name,
  delivery: {
    method: 'POST',
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
    body: Buffer.from(body),
  },
  expect,
  otherBody: true,
  ...more,
})
const payload = lines(XML)
const right = mac(payload).toString('hex')
const signed = (name, signature, expect, more) => form(name, fields(payload, signature), expect, more)

const braintree = () => [
  signed('a delivery as the sender makes it', `${PUBLIC.new}|${right}`, { ok: true }),
  form('signed without the last line feed', fields(payload.trimEnd(), `${PUBLIC.new}|${right}`), {
    ok: true,
  }),
  signed(
    'a list of pairs, ours the second',
    `${PUBLIC.old}|${mac(payload, braintreeKeys.old).toString('hex')}&${PUBLIC.new}|${right}`,
    { ok: true },
  ),
  signed('the pair of another public key', `another_public_key|${right}`, mismatch),
  signed(
    'signed with another account\u2019s key',
    `${PUBLIC.new}|${mac(payload, braintreeKeys.foreign).toString('hex')}`,
    mismatch,
  ),
  signed(
    'signed with the text of the key instead of its hash',
    `${PUBLIC.new}|${hmac('sha1', braintreeKeys.new, [payload]).toString('hex')}`,
    mismatch,
  ),
  form(
    'one byte of the payload changed',
    fields(lines(XML.replace('my_id', 'my_ie')), `${PUBLIC.new}|${right}`),
    mismatch,
  ),
  signed('a truncated signature', `${PUBLIC.new}|${right.slice(0, -1)}`, mismatch, {
    lax: 'The SDK compares no further than the shorter text.',
  }),
  signed('a lengthened signature', `${PUBLIC.new}|${right}00`, mismatch, {
    lax: 'The SDK compares no further than the shorter text.',
  }),
  signed('an empty signature after the public key', `${PUBLIC.new}|`, unauthorized, {
    lax: 'The SDK compares no further than the shorter text.',
  }),
  signed('the signature in upper-case hex', `${PUBLIC.new}|${right.toUpperCase()}`, mismatch),
  signed('the signature in base64', `${PUBLIC.new}|${mac(payload).toString('base64')}`, mismatch),
  signed('a signature without a public key', right, unauthorized),
  signed('an empty signature', '', unauthorized),
  form('no signature', String(new URLSearchParams({ bt_payload: payload })), unauthorized),
  form('no payload', String(new URLSearchParams({ bt_signature: `${PUBLIC.new}|${right}` })), unauthorized),
  form('an empty body', '', unauthorized),
]

export default [
  {
    scheme: 'braintree',
    sdk: 'braintree',
    now: NOW,
    options: { publicKey: PUBLIC.new, secrets: braintreeKeys.new },
    cases: braintree,
    notApplicable: {
      ...IN_BODY,
      'stale and future time': 'The time stands in the XML, whose age Braintree does not limit.',
    },
  },
]
