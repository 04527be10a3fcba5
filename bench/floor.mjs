// The floor: the least time in which Node can verify a delivery. The specification's checks in straight-line code, for
// one listener, without reasons, and with a set of event IDs.
import { createHash, createHmac, createSecretKey, hash, timingSafeEqual, verify } from 'node:crypto'
import { ENDPOINT, now, SECRET } from './workload.mjs'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const SECONDS = /^[0-9]{1,12}$/
const key = createSecretKey(SECRET, 'utf8')

/** node:crypto's HMAC at its fastest, with a KeyObject created once. */
function ownHmac(prefix, body) {
  return createHmac('sha256', key).update(prefix, 'latin1').update(body).digest('base64url')
}

const inner = Buffer.alloc(64 + 256 + 65_536)
const outer = Buffer.alloc(96)
for (let index = 0; index < 64; index += 1) {
  inner[index] = (SECRET.charCodeAt(index) || 0) ^ 0x36
  outer[index] = (SECRET.charCodeAt(index) || 0) ^ 0x5c
}

/** RFC 2104 over one-shot hashes: Node's limit if its Hmac objects were free. */
function handMadeHmac(prefix, body) {
  inner.latin1Write(prefix, 64)
  body.copy(inner, 64 + prefix.length)
  outer.latin1Write(hash('sha256', inner.subarray(0, 64 + prefix.length + body.length), 'binary'), 64)
  return hash('sha256', outer, 'base64url')
}

const [left, right] = [Buffer.alloc(43), Buffer.alloc(43)]

function hmacFloor(mac, seen, { headers, body }) {
  const timestamp = headers['webhook-timestamp']
  const eventId = headers['webhook-event-id']
  if (!SECONDS.test(timestamp) || Math.abs(now() - Number(timestamp)) > 300) return 400
  if (!UUID_V4.test(eventId)) return 400
  left.latin1Write(mac(`${timestamp}.${eventId}.`, body))
  right.latin1Write(headers['webhook-signature'])
  if (!timingSafeEqual(left, right)) return 401
  JSON.parse(body.latin1Slice())
  if (seen.has(eventId)) return 409
  seen.set(eventId, Number(timestamp))
  return 200
}

/** @returns a verifier with its own set of event IDs, which returns a status. */
export function floorWithOwnHmac(seen = new Map()) {
  return (delivery) => hmacFloor(ownHmac, seen, delivery)
}

export function floorWithHandMadeHmac(seen = new Map()) {
  return (delivery) => hmacFloor(handMadeHmac, seen, delivery)
}

/** A token's header never changes, so it is compared instead of parsed. */
export function jwtFloor({ algorithm, keyObject, headerSegment }, seen = new Map()) {
  return ({ headers, body }) => {
    const time = now()
    const [head, payload, tail] = headers.authorization.slice(7).split('.')
    const eventId = headers['webhook-event-id']
    if (Math.abs(time - Number(headers['webhook-timestamp'])) > 300 || !UUID_V4.test(eventId)) return 400
    if (head !== headerSegment) return 401
    const claims = JSON.parse(Buffer.from(payload, 'base64url').latin1Slice())
    if (claims.sub !== ENDPOINT.subject || claims.aud !== ENDPOINT.audience || claims.htm !== 'POST')
      return 401
    if (claims.jti !== eventId || claims.exp <= time || claims.exp > time + 600) return 401
    if (claims.htb_s256 !== createHash('sha256').update(body).digest('base64url')) return 401
    const signature = Buffer.from(tail, 'base64url')
    const der = algorithm === 'ES256' ? derSignature(signature) : signature
    const digest = algorithm === 'EdDSA' ? null : 'sha256'
    if (!verify(digest, Buffer.from(`${head}.${payload}`), keyObject, der)) return 401
    JSON.parse(body.latin1Slice())
    if (seen.has(eventId)) return 409
    seen.set(eventId, time)
    return 200
  }
}

function derSignature(rs) {
  const part = (bytes) => {
    let start = 0
    while (start < 31 && bytes[start] === 0) start += 1
    const sign = bytes[start] > 127 ? [0] : []
    return [2, 32 - start + sign.length, ...sign, ...bytes.subarray(start)]
  }
  const parts = [...part(rs.subarray(0, 32)), ...part(rs.subarray(32))]
  return Buffer.from([48, parts.length, ...parts])
}
