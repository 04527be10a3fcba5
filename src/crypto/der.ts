/** One DER element (X.690 10). */
export interface DerElement {
  readonly tag: number
  readonly content: Uint8Array<ArrayBuffer>
  /** Including tag and length. */
  readonly whole: Uint8Array<ArrayBuffer>
}

const DER_INTEGER = 0x02
export const DER_BIT_STRING = 0x03
export const DER_SEQUENCE = 0x30

const MOST_LENGTH_BYTES = 3

/** Parses consecutive elements. Undefined for anything but DER with single-byte tags. */
export function readDer(bytes: Uint8Array<ArrayBuffer>): readonly DerElement[] | undefined {
  const elements: DerElement[] = []
  let start = 0
  while (start < bytes.length) {
    const tag = bytes[start] ?? 0
    const begin = start + 1 + lengthBytes(bytes[start + 1])
    const end = begin + lengthAt(bytes.subarray(start + 1, begin))
    if ((tag & 0x1f) === 0x1f || !(end <= bytes.length)) return undefined
    elements.push({ tag, content: bytes.slice(begin, end), whole: bytes.slice(start, end) })
    start = end
  }
  return elements
}

/** Parses a constructed element's content. Empty if the tag differs or the content is not DER. */
export function derParts(element: DerElement | undefined, tag: number): readonly DerElement[] {
  return element?.tag === tag ? (readDer(element.content) ?? []) : []
}

/** A non-negative integer without its leading sign byte. Undefined for any other element. */
export function derNumber(element: DerElement | undefined): Uint8Array | undefined {
  if (element?.tag !== DER_INTEGER) return undefined
  const [first = 0x80, second = 0x80] = element.content
  if (first >= 0x80 || (first === 0 && second < 0x80)) return undefined
  return first === 0 && element.content.length > 1 ? element.content.subarray(1) : element.content
}

function lengthBytes(first = 0): number {
  return first < 0x80 ? 1 : 1 + (first & 0x7f)
}

/** NaN for a length that is indefinite, too long, truncated or not minimal. */
function lengthAt([first, ...more]: Uint8Array): number {
  if (first === undefined) return Number.NaN
  if (first < 0x80) return first
  const length = more.reduce((sum, byte) => sum * 256 + byte, 0)
  const isShortest = more.length === 1 ? length >= 0x80 : more[0] !== 0
  const isWhole = more.length === (first & 0x7f) && more.length > 0 && more.length <= MOST_LENGTH_BYTES
  return isShortest && isWhole ? length : Number.NaN
}

/**
 * Converts r and s, `size` bytes each (RFC 7518 3.4), to an Ecdsa-Sig-Value (RFC 3279 2.2.3), which needs no `{ key, dsaEncoding }`.
 * Undefined for any other length.
 */
export function toDerSignature(signature: Uint8Array, size: number): Uint8Array<ArrayBuffer> | undefined {
  if (signature.length !== size * 2) return undefined
  const der = new Uint8Array(size * 2 + 8)
  let end = 2
  for (let start = 0, next = size; next <= size * 2; start = next, next += size) {
    // DER integers are minimal, with a leading zero if the first bit is set, because that is the sign bit.
    while (start < next - 1 && signature[start] === 0) start += 1
    const zero = (signature[start] ?? 0) >> 7
    const length = zero + next - start
    der.set([0x02, length], end)
    der.set(signature.subarray(start, next), end + 2 + zero)
    end += 2 + length
  }
  der.set([0x30, end - 2])
  return der.subarray(0, end)
}

/** Converts a strict Ecdsa-Sig-Value to r and s, `size` bytes each. Undefined for any other bytes. */
export function fromDerSignature(
  der: Uint8Array<ArrayBuffer>,
  size: number,
): Uint8Array<ArrayBuffer> | undefined {
  const [sequence, more] = readDer(der) ?? []
  const numbers = more ? [] : derParts(sequence, DER_SEQUENCE).map(derNumber)
  const [r, s] = numbers
  if (!r || !s || numbers.length > 2 || r.length > size || s.length > size) return undefined
  const signature = new Uint8Array(size * 2)
  signature.set(r, size - r.length)
  signature.set(s, size * 2 - s.length)
  return signature
}
