import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Listener } from '../listener.ts'
import { Verification } from '../verification.ts'
import type { ExpectedSender } from './expected-sender.ts'

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
  const mend = `it is not signed either, so ${name} did not send it: sign your own tests, e.g. with hookgate send`
  const came = refusal && (isUnsigned ? `${refusal.detail}; ${mend}` : refusal.detail)
  return [why ?? [], came ?? []].flat()
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
  { body }: Delivery,
  reason: 'body_not_json' | 'body_malformed',
): string | undefined {
  const [first, second] = body
  const isUtf16 = first !== second && [first, second].every((byte) => byte === 0xff || byte === 0xfe)
  if (isUtf16) return 'the body is in UTF-16: make the sender write UTF-8'
  if (decodeUtf8(body.subarray(0, 3)) === '\ufeff')
    return 'the body begins with a byte order mark, which is invisible: make the sender write UTF-8 without it'
  if (reason === 'body_not_json' && /^\s*<[!?a-z]/i.test(decodeUtf8(body.subarray(0, 64)) ?? ''))
    return 'the body is XML or HTML, and Content-Type does not say so'
  return undefined
}
