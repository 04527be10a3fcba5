import type { Delivery, Verdict } from '../src/index.ts'
import type { Place } from '../src/scheme/index.ts'
import { print } from './output.ts'
import { loadScheme, schemeNames } from './schemes.ts'

/** Whose delivery this looks like, by its headers: the scheme with most of its headers there. Undefined for nobody's. */
async function recognise(delivery: Delivery): Promise<{ name: string; sender: string } | undefined> {
  let best: { readonly name: string; readonly sender: string; readonly seen: number } | undefined
  for (const name of await schemeNames()) {
    const { scheme } = await loadScheme(name)
    const { signature, timestamp, eventId, eventType } = scheme
    const isThere = (header: string | undefined) =>
      header !== undefined && delivery.header(header) !== undefined
    if (!signature.headers.some(isThere) || signature.headers.includes('authorization')) continue
    const seen = [timestamp, eventId, eventType].filter((place) => isThere(headerIn(place))).length
    if (best === undefined || seen > best.seen) best = { name, sender: scheme.sender, seen }
  }
  return best
}

const headerIn = (place: Place | undefined) => (place && 'header' in place ? place.header : undefined)

/** Headers tell whose delivery it is, when it is not that of the sender who was expected. */
export async function printStranger(
  verdict: Verdict,
  delivery: Delivery,
  expected: string | undefined,
): Promise<void> {
  if (verdict.ok || !['header_missing', 'auth_missing'].includes(verdict.reason ?? '')) return
  const found = await recognise(delivery)
  if (found === undefined || found.name === expected) return
  const listener = expected ?? "the specification's HMAC or JWT"
  print(`likely: this looks like a delivery of ${found.sender}; this listener expects ${listener}:`)
  print(`        give --scheme ${found.name}, and import hookgate/schemes/${found.name}`)
}
