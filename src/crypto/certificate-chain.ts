import { encodeHex } from '../lib/bytes.ts'
import { certificateTime } from './certificate.ts'
import { DER_BIT_STRING, DER_SEQUENCE, type DerElement, derParts, fromDerSignature, readDer } from './der.ts'
import { type Curve, curveOf } from './public-keys.ts'

/** The parts of an X.509 certificate (RFC 5280 4.1) of an elliptic curve that a chain is verified by. */
export interface ChainCertificate {
  /** What its issuer signed, whole. */
  readonly signedPart: Uint8Array<ArrayBuffer>
  readonly hash: 'SHA-256' | 'SHA-384'
  /** The signature, a DER Ecdsa-Sig-Value. */
  readonly signature: Uint8Array<ArrayBuffer>
  /** Names in hex, compared byte by byte. */
  readonly issuer: string
  readonly subject: string
  /** The first and the last second in which it is valid, since 1970. NaN if malformed, so that it never is. */
  readonly notBefore: number
  readonly notAfter: number
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly curve: Exclude<Curve, 'Ed25519'>
  /** The OIDs of its extensions, in hex. */
  readonly extensions: ReadonlySet<string>
  /** Whether it may issue certificates: `cA` of its basic constraints (RFC 5280 4.2.1.9). */
  readonly isAuthority: boolean
}

const [VERSION, EXTENSIONS, BOOLEAN, OCTET_STRING, OID] = [0xa0, 0xa3, 0x01, 0x04, 0x06]
const BASIC_CONSTRAINTS = '551d13'
/** ecdsa-with-SHA256 and ecdsa-with-SHA384 (RFC 5758 3.2). */
const HASHES: ReadonlyMap<string, ChainCertificate['hash']> = /* @__PURE__ */ new Map([
  ['2a8648ce3d040302', 'SHA-256'],
  ['2a8648ce3d040303', 'SHA-384'],
])
const TRUE = 'ff'

/** Reads a certificate. Undefined if it is malformed, or its key or signature is of another kind. Verifies nothing. */
export function readChainCertificate(der: Uint8Array<ArrayBuffer>): ChainCertificate | undefined {
  const [certificate, another] = readDer(der) ?? []
  if (another !== undefined) return undefined
  const [signedPart, outer, bits, more] = derParts(certificate, DER_SEQUENCE)
  const fields = derParts(signedPart, DER_SEQUENCE)
  if (signedPart === undefined || more || fields[0]?.tag !== VERSION) return undefined
  const [, , inner, issuer, validity, subject, key, ...rest] = fields
  const hash = HASHES.get(oidOf(outer))
  const curve = key && curveOf(key.whole)
  const [notBefore = Number.NaN, notAfter = Number.NaN] = derParts(validity, DER_SEQUENCE).map(
    certificateTime,
  )
  // RFC 5280 4.1.1.2: the algorithm stands twice, and what is not signed must be what is.
  if (hash === undefined || !inner || !outer || encodeHex(inner.whole) !== encodeHex(outer.whole))
    return undefined
  if (!issuer || !subject || !key || (curve !== 'P-256' && curve !== 'P-384')) return undefined
  if (bits?.tag !== DER_BIT_STRING || bits.content[0] !== 0) return undefined
  const extensions = extensionsIn(rest)
  return {
    signedPart: signedPart.whole,
    hash,
    signature: bits.content.slice(1),
    issuer: encodeHex(issuer.whole),
    subject: encodeHex(subject.whole),
    notBefore,
    notAfter,
    publicKey: key.whole,
    curve,
    extensions: new Set(extensions.keys()),
    isAuthority: mayIssue(extensions.get(BASIC_CONSTRAINTS)),
  }
}

/** The OID of an AlgorithmIdentifier or an Extension, in hex. */
function oidOf(element: DerElement | undefined): string {
  const [oid] = derParts(element, DER_SEQUENCE)
  return oid?.tag === OID ? encodeHex(oid.content) : ''
}

function extensionsIn(
  fields: readonly DerElement[],
): ReadonlyMap<string, Uint8Array<ArrayBuffer> | undefined> {
  const [list] = derParts(
    fields.find(({ tag }) => tag === EXTENSIONS),
    EXTENSIONS,
  )
  return new Map(
    derParts(list, DER_SEQUENCE).map((extension) => {
      const value = derParts(extension, DER_SEQUENCE).at(-1)
      return [oidOf(extension), value?.tag === OCTET_STRING ? value.content : undefined]
    }),
  )
}

function mayIssue(constraints: Uint8Array<ArrayBuffer> | undefined): boolean {
  const [sequence] = (constraints && readDer(constraints)) ?? []
  const [authority] = derParts(sequence, DER_SEQUENCE)
  return authority?.tag === BOOLEAN && encodeHex(authority.content) === TRUE
}

/** Whether a certificate names another as its issuer and was signed by its key. Does not check validity or constraints. */
export async function isIssuedBy(certificate: ChainCertificate, issuer: ChainCertificate): Promise<boolean> {
  if (certificate.issuer !== issuer.subject) return false
  const { curve, publicKey } = issuer
  const signature = fromDerSignature(certificate.signature, curve === 'P-384' ? 48 : 32)
  if (signature === undefined) return false
  const key = await crypto.subtle.importKey('spki', publicKey, { name: 'ECDSA', namedCurve: curve }, false, [
    'verify',
  ])
  return await crypto.subtle.verify(
    { name: 'ECDSA', hash: certificate.hash },
    key,
    signature,
    certificate.signedPart,
  )
}
