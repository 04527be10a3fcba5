import { checkHeaders } from '../checks/headers.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { Listener } from '../listener.ts'
import { Verification } from '../verification.ts'
import type { ExpectedSender } from './expected-sender.ts'

const IN_TYPE = 'in Content-Type, write "; charset=utf-8" or nothing'

/** Where the sender offers a format that is accepted, what to write if a charset stands in the wrong place, and what came. */
export function wrongContent(
  delivery: Delivery,
  listener: Listener<unknown>,
  { facts }: ExpectedSender,
): readonly string[] {
  const refusal = checkHeaders(new Verification(delivery, listener))
  return [facts.otherFormats ?? [], misplacedCharset(delivery) ?? [], refusal?.detail ?? []].flat()
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

/** Says that the body begins with a byte order mark. Undefined if it does not. */
export function byteOrderMark({ body }: Delivery): string | undefined {
  if (decodeUtf8(body.subarray(0, 3)) !== '\ufeff') return undefined
  return 'the body begins with a byte order mark, which is invisible: make the sender write UTF-8 without it'
}
