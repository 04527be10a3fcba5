import type { Evidence } from '../auth/evidence.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { type Failure, fail } from '../failure.ts'
import { fieldText } from './field-text.ts'
import { memberAt, pointerSteps } from './members.ts'
import type { SignatureForm } from './scheme.ts'

const LONGEST_VALUE = 4096
const MOST_ITEMS = 64

type Refused = Failure<'auth_missing' | 'signature_mismatch'>

/**
 * Finds a delivery's signatures in the header or member that the scheme names. Repeated headers are refused, unless they are
 * lists or tokens: to split a token over two headers, one has to know it.
 */
export function signatureReader(
  form: SignatureForm,
  isToken = false,
): (evidence: Evidence) => readonly string[] | Refused {
  const { member, separator } = form
  const readHeader = isToken || separator === ', ' ? fieldText : headerOf
  if (member === undefined) return ({ delivery }) => headerItems(form, delivery, readHeader)
  const steps = pointerSteps(member)
  return (evidence) => {
    const signature = memberAt(evidence.parsed(), steps)
    if (typeof signature !== 'string' || signature === '') return fail('auth_missing', `no ${member}`)
    return signature.length > LONGEST_VALUE ? tooLong(member) : [signature]
  }
}

/**
 * Splits the signature headers into items. Without a separator, each header is one item. Trims only spaces around `, `.
 */
function headerItems(
  { headers, separator }: SignatureForm,
  delivery: Delivery,
  readHeader: typeof headerOf,
): readonly string[] | Refused {
  const items: string[] = []
  for (const name of headers) {
    const text = readHeader(delivery, name)
    if (text === undefined) continue
    if (typeof text === 'object') return fail('signature_mismatch', `more than one ${name}`)
    if (text.length > LONGEST_VALUE) return tooLong(name)
    if (separator === undefined) items.push(text)
    else
      for (const item of text.split(separator.charAt(0))) items.push(separator === ', ' ? item.trim() : item)
  }
  if (items.length === 0) return fail('auth_missing', `no ${headers[0]}`)
  return items.length > Math.max(MOST_ITEMS, headers.length)
    ? fail('signature_mismatch', `${headers[0]} has over ${MOST_ITEMS} items`)
    : items
}

function tooLong(place: string): Refused {
  return fail('signature_mismatch', `${place} is over ${LONGEST_VALUE} characters`)
}

/** Returns the items that start with the prefix, without it. Stops after `atMost` items. */
export function itemsAfter(items: readonly string[], prefix: string, atMost: number): readonly string[] {
  if (prefix === '') return items.slice(0, atMost)
  const found: string[] = []
  for (const item of items) {
    if (found.length < atMost && item.startsWith(prefix)) found.push(item.slice(prefix.length))
  }
  return found
}
