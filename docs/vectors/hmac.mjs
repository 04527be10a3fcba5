// Deliveries signed with HMAC, and what is wrong with them.
import { randomBytes } from 'node:crypto'
import { BODY, EVENT_ID, given, mac, NOW, no, vector, YES } from './given.mjs'

const [secret, older] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
const WRONG = no(401, 'signature_mismatch')

export const HMAC_LISTENER = {
  secrets: [
    { id: 'new', secret },
    { id: 'old', secret: older },
  ],
}

/** `signature` is the sender's own function of the delivery. Default: the right MAC. */
function hmac(name, answer, change, signature) {
  const sent = given(change)
  const { timestamp, id, bytes } = sent
  const text = signature ? signature(sent) : mac(secret, `${timestamp}.${id}.`, bytes)
  return vector('hmac', name, { ...sent, headers: { 'webhook-signature': text, ...sent.headers } }, answer)
}

const right = ({ timestamp, id, bytes }, encoding, key = secret) =>
  mac(key, `${timestamp}.${id}.`, bytes, encoding)

export const HMAC = [
  hmac('a delivery', YES, { id: EVENT_ID }),
  hmac('the same event once more, signed anew', no(409, 'event_duplicate'), {
    id: EVENT_ID,
    timestamp: `${NOW + 60}`,
  }),
  hmac('the same event in upper case', no(409, 'event_duplicate'), { id: EVENT_ID.toUpperCase() }),
  hmac('an event ID in upper case, signed as it is sent', YES, {
    id: 'ABCDEF00-0000-4000-8000-00000000ABCD',
  }),
  hmac('signed with the older of two live secrets', YES, {}, (sent) => right(sent, 'base64url', older)),
  hmac('a body beyond ASCII', YES, { body: '{"name":"Zoë","mood":"🙂"}' }),
  hmac('a body with spaces and a line break, signed as it is sent', YES, {
    body: '{ "a" : 1.0 ,\r\n "b":[ ] }\n',
  }),
  hmac('a body that is a number', YES, { body: '0' }),
  hmac('an empty object', YES, { body: '{}' }),
  hmac('a content type with parameters', YES, {
    headers: { 'content-type': 'Application/JSON; charset=utf-8' },
  }),
  hmac('300 s old', YES, { timestamp: `${NOW - 300}` }),
  hmac('301 s old', no(400, 'timestamp_out_of_range'), { timestamp: `${NOW - 301}` }),
  hmac('300 s ahead', YES, { timestamp: `${NOW + 300}` }),
  hmac('301 s ahead', no(400, 'timestamp_out_of_range'), { timestamp: `${NOW + 301}` }),
  hmac('a timestamp in milliseconds', no(400, 'timestamp_malformed'), { timestamp: `${NOW}000` }),
  hmac('a timestamp with a fraction', no(400, 'timestamp_malformed'), { timestamp: `${NOW}.0` }),
  hmac('a timestamp in ISO 8601', no(400, 'timestamp_malformed'), {
    timestamp: new Date(NOW * 1000).toISOString(),
  }),
  hmac('a timestamp with a zero in front', no(400, 'timestamp_malformed'), { timestamp: `0${NOW}` }),
  hmac('no timestamp', no(400, 'header_missing'), { headers: { 'webhook-timestamp': undefined } }),
  hmac('no event ID', no(400, 'header_missing'), { headers: { 'webhook-event-id': undefined } }),
  hmac('two timestamps', no(400, 'header_repeated'), {
    headers: { 'webhook-timestamp': [`${NOW}`, `${NOW}`] },
  }),
  hmac('a UUID v1 for an ID', no(400, 'event_id_not_uuid_v4'), {
    id: '5eed0000-0000-1000-8000-000000000001',
  }),
  hmac('a UUID v7 for an ID', no(400, 'event_id_not_uuid_v4'), {
    id: '01934f00-0000-7000-8000-000000000001',
  }),
  hmac('an ID in braces', no(400, 'event_id_not_uuid_v4'), { id: '{5eed0000-0000-4000-8000-0000000000ff}' }),
  hmac('an ID without hyphens', no(400, 'event_id_not_uuid_v4'), { id: '5eed0000000040008000000000000fff' }),
  hmac('no signature', no(401, 'auth_missing'), { headers: { 'webhook-signature': undefined } }),
  hmac('the signature in hexadecimal', WRONG, {}, (sent) => right(sent, 'hex')),
  hmac('the signature in base64 with padding', WRONG, {}, (sent) => right(sent, 'base64')),
  hmac('the signature with padding', WRONG, {}, (sent) => `${right(sent)}=`),
  hmac('the signature behind `v1,`', WRONG, {}, (sent) => `v1,${right(sent)}`),
  hmac('the signature behind `sha256=`', WRONG, {}, (sent) => `sha256=${right(sent)}`),
  hmac('the signature of another body', WRONG, {}, (sent) => right({ ...sent, bytes: Buffer.from('{}') })),
  hmac('the body alone signed', WRONG, {}, ({ bytes }) => mac(secret, '', bytes)),
  hmac('ID before timestamp, as Standard Webhooks signs', WRONG, {}, ({ timestamp, id, bytes }) =>
    mac(secret, `${id}.${timestamp}.`, bytes),
  ),
  hmac('the secret decoded from base64url', WRONG, {}, (sent) =>
    right(sent, 'base64url', Buffer.from(secret, 'base64url')),
  ),
  hmac('the secret with a line break behind it', WRONG, {}, (sent) =>
    right(sent, 'base64url', `${secret}\n`),
  ),
  hmac('a body that is not JSON', no(400, 'body_not_json'), { body: '{order:1}' }),
  hmac('an empty body', no(400, 'body_not_json'), { body: '' }),
  hmac('a body that ends midway', no(400, 'body_not_json'), { body: BODY.slice(0, -1) }),
  hmac('JSON behind a byte order mark', no(400, 'body_not_json'), { body: '\ufeff{}' }),
  hmac('JSON in Latin-1', no(400, 'body_not_json'), { body: Buffer.from('{"a":"\xe9"}', 'latin1') }),
  hmac('a form', no(400, 'content_type_not_json'), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  hmac('a compressed body', no(400, 'content_encoding_not_identity'), {
    headers: { 'content-encoding': 'gzip' },
  }),
]
