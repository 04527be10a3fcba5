import { createHash } from 'node:crypto'
import { p256, p384 } from './installed.mjs'
import { bytesOf } from './keys.mjs'

/** X.509 certificates of elliptic curves (RFC 5280), made from seeds, so that each run makes the same. */

function der(tag, ...parts) {
  const content = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)),
  )
  const { length } = content
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content])
}
const sequence = (...parts) => der(0x30, ...parts)
const oid = (hex) => der(0x06, hex)
const time = (text) => der(text.length === 13 ? 0x17 : 0x18, Buffer.from(text))
const name = (text) => sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(text)))))

const CURVES = {
  'P-256': { curve: p256, oid: '2a8648ce3d030107', hash: 'sha256', algorithm: '2a8648ce3d040302', bytes: 32 },
  'P-384': { curve: p384, oid: '2b81040022', hash: 'sha384', algorithm: '2a8648ce3d040303', bytes: 48 },
}

/** A pair of a curve from a seed, and its SubjectPublicKeyInfo. */
export function pairOf(seed, named) {
  const { curve, oid: curveOid, bytes } = CURVES[named]
  const privateKey = bytesOf(seed, bytes)
  const point = Buffer.from(curve.getPublicKey(privateKey, false))
  const bits = der(0x03, Buffer.alloc(1), point)
  return { named, privateKey, spki: sequence(sequence(oid('2a8648ce3d0201'), oid(curveOid)), bits) }
}

/** Signs with RFC 6979. `low` is what noble calls it. */
export function signWith({ named, privateKey }, bytes, format) {
  const { curve, hash } = CURVES[named]
  const digest = createHash(hash).update(bytes).digest()
  return Buffer.from(curve.sign(digest, privateKey, { prehash: false, lowS: false, format }))
}

const extension = (id, value, critical = false) =>
  sequence(oid(id), ...(critical ? [der(0x01, 'ff')] : []), der(0x04, value))

/** A certificate of `pair`, signed by `issuer`. `marks` are the OIDs of extensions, in hex. */
export function certificateOf({
  pair,
  subject,
  issuer,
  issuerName,
  from = '200101000000Z',
  until = '390101000000Z',
  isAuthority = false,
  marks = [],
}) {
  const algorithm = sequence(oid(CURVES[issuer.named].algorithm))
  const constraints = sequence(...(isAuthority ? [der(0x01, 'ff')] : []))
  const signed = sequence(
    der(0xa0, der(0x02, '02')),
    der(0x02, bytesOf(`serial/${subject}`, 8).fill(0x11, 0, 1)),
    algorithm,
    name(issuerName),
    sequence(time(from), time(until)),
    name(subject),
    pair.spki,
    der(
      0xa3,
      sequence(extension('551d13', constraints, true), ...marks.map((mark) => extension(mark, '0500'))),
    ),
  )
  const signature = der(0x03, Buffer.alloc(1), signWith(issuer, signed, 'der'))
  return sequence(signed, algorithm, signature)
}
