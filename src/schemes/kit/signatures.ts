import type { Evidence } from '../../auth/evidence.ts'
import { type Delivery, headerOf } from '../../delivery.ts'
import { type Failure, fail } from '../../reason.ts'
import type { SignatureForm } from '../../scheme.ts'

/** The longest value of a signature, in characters. */
export const LONGEST_VALUE = 4096
const MOST_ITEMS = 64

/** Why a delivery has no signature to compare. */
export type Refused = Failure<'auth_missing' | 'signature_mismatch'>

/**
 * Finds a delivery's signatures in the headers that the scheme names. Repeated headers are refused, unless they are lists.
 */
export function signatureReader(
  form: SignatureForm,
  readHeader: typeof headerOf = form.separator?.includes(' ') ? listText : headerOf,
): (evidence: Pick<Evidence, 'delivery'>) => readonly string[] | Refused {
  return ({ delivery }) => headerItems(form, delivery, readHeader)
}

/** A web runtime reports a value that contains `, ` as repeated. The same line twice is none. */
function listText(delivery: Pick<Delivery, 'header'>, name: string): ReturnType<typeof headerOf> {
  const value = headerOf(delivery, name)
  return typeof value === 'object' && new Set(value).size === value.length ? value.join(', ') : value
}

/** Splits the signature headers into items. Without a separator, each header is one item. Trims only spaces around `, `. */
function headerItems(
  { headers, separator }: SignatureForm,
  delivery: Pick<Delivery, 'header'>,
  readHeader: typeof headerOf,
): readonly string[] | Refused {
  const items: string[] = []
  for (const name of headers) {
    const text = readHeader(delivery, name)
    if (text === undefined) continue
    if (typeof text === 'object') return fail('signature_mismatch', `more than one ${name}`)
    if (text.length > LONGEST_VALUE) return tooLong(name)
    if (separator === undefined) items.push(text)
    // Supabase joins the signatures of Standard Webhooks by `, `, as its SDK takes them.
    else
      for (const item of text.split(separator === ' ' ? /,? / : separator.charAt(0)))
        items.push(separator === ', ' ? item.trim() : item)
  }
  if (items.length === 0) return fail('auth_missing', `no ${headers[0]}`)
  return items.length > Math.max(MOST_ITEMS, headers.length)
    ? fail('signature_mismatch', `${headers[0]} has over ${MOST_ITEMS} items`)
    : items
}

export function tooLong(place: string): Refused {
  return fail('signature_mismatch', `${place} is over ${LONGEST_VALUE} characters`)
}

/** Makes the reader of a signature that is in no header. Undefined if it is in one. */
export type SignatureElsewhere = (
  form: SignatureForm,
) => ((evidence: Evidence) => readonly string[] | Refused) | undefined
