import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { byteText, decodeUtf8 } from '../lib/bytes.ts'
import { mediaTypeOf } from '../lib/content-type.ts'
import type { Listener } from '../listener.ts'
import { FORM } from '../schemes/kit/form-fields.ts'
import { Verification } from '../verification.ts'
import { type ExpectedSender, SIGN_TESTS } from './expected-sender.ts'

const IN_TYPE = 'in Content-Type, write "; charset=utf-8" or nothing'

/** What to write if a charset stands in the wrong place, or where the sender offers a format that is accepted; and what came. */
export function wrongContent(
  delivery: Delivery,
  listener: Listener<unknown>,
  { facts, name, scheme }: ExpectedSender,
): readonly string[] {
  const refusal = checkHeaders(new Verification(delivery, listener))
  const why =
    misplacedCharset(delivery) ?? (isOtherFormat(delivery, listener) ? facts.otherFormats : undefined)
  const { headers } = scheme.signature
  const isUnsigned = headers.length > 0 && headers.every((header) => headerOf(delivery, header) === undefined)
  const unsigned = `it is not signed either, so ${name} did not send it: ${SIGN_TESTS}`
  const fix = isUnsigned ? `; ${unsigned}` : why === undefined ? `: ${fixOf(refusal?.reason, delivery)}` : ''
  return [why ?? [], refusal ? `${refusal.detail}${fix}` : []].flat()
}

function fixOf(reason: string | undefined, { body }: Delivery): string {
  if (reason !== 'content_encoding_not_identity')
    return 'send that type, or find what changes it in front of this listener'
  return isPlain(body)
    ? 'the body is not compressed, so find what decompresses it in front of this listener, and let it remove the header'
    : 'send the body uncompressed, or find what compresses it in front of this listener'
}

/** Whether it begins as JSON or a form does. Compressed bytes hold control characters, even if Brotli's first is a `[`. */
function isPlain(body: Uint8Array): boolean {
  const beginning = byteText(body.subarray(0, 64))
  const hasControls = [...beginning].some((character) => character < ' ' && !/\s/.test(character))
  return !hasControls && /^\s*(?:[{[]\s*["{[\]}\d-]|[\w.%+[\]-]+=)/.test(beginning)
}

/** Whether the media type is another one, whatever its parameters are. */
function isOtherFormat(delivery: Delivery, { protocol }: Listener<unknown>): boolean {
  const [type = ''] = `${headerOf(delivery, 'content-type') ?? ''}`.split(';', 1)
  return protocol.readerFor(type.trim().toLowerCase() || undefined) === undefined
}

function misplacedCharset(delivery: Delivery): string | undefined {
  const type = `${headerOf(delivery, 'content-type') ?? ''}`
  const encoding = `${headerOf(delivery, 'content-encoding') ?? ''}`
  if (/(?:^|,)\s*utf-?8\s*(?:,|$)/i.test(encoding.slice(0, 256)))
    return `UTF-8 is a charset, not a compression: send no Content-Encoding, and ${IN_TYPE}`
  return /;\s*utf-?8\s*(?:;|$)/i.test(type.slice(0, 256))
    ? `the charset lacks its name: ${IN_TYPE}`
    : undefined
}

/** What a body is that does not parse, by its first bytes. Undefined if that is unknown. */
export function wrongBody(
  delivery: Delivery,
  reason: 'body_not_json' | 'body_malformed',
): string | undefined {
  const { body } = delivery
  const [first, second] = body
  const isUtf16 = first !== second && [first, second].every((byte) => byte === 0xff || byte === 0xfe)
  if (isUtf16) return 'the body is in UTF-16: make the sender write UTF-8'
  if (decodeUtf8(body.subarray(0, 3)) === '\ufeff')
    return 'the body begins with a byte order mark, which is invisible: make the sender write UTF-8 without it'
  const beginning = byteText(body.subarray(0, 64))
  const type = mediaTypeOf(`${headerOf(delivery, 'content-type') ?? ''}`)
  if (type === FORM && /^\s*[{[]/.test(beginning))
    return 'the body is JSON, and Content-Type says that it is a form: send application/json'
  if (reason !== 'body_not_json') return undefined
  if (/^\s*<[!?a-z]/i.test(beginning)) return 'the body is XML or HTML, and Content-Type does not say so'
  if (/^\s*'?\{\s*[\w'\\]/.test(beginning))
    return 'the names in the body have no double quotes, which JSON needs and a shell may remove: send the body from a file'
  return /^[\w.%+[\]-]+=/.test(beginning)
    ? `the body is a form, and Content-Type does not say so: send JSON, or ${FORM} if the sender does`
    : undefined
}
