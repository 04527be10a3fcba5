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
