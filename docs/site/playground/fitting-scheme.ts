import type { SenderScheme } from 'hookgate/schemes'
import { allSchemes } from './senders.ts'

/** The scheme whose headers these are. Where several fit equally, the given one, or that which the others share. */
export async function fittingScheme(names: readonly string[], chosen: string): Promise<string> {
  if (names.includes('webhook-event-id')) return names.includes('authorization') ? 'jwt' : 'hmac'
  const scores = (await allSchemes()).map((scheme) => ({ scheme, score: scoreOf(scheme, names) }))
  const best = Math.max(...scores.map(({ score }) => score))
  const fitting = scores.filter(({ score }) => score === best).map(({ scheme }) => scheme.name)
  if (best === NO_SIGNATURE || fitting.includes(chosen)) return chosen
  return fitting.includes('standard-webhooks') ? 'standard-webhooks' : (fitting[0] ?? chosen)
}

const NO_SIGNATURE = Number.NEGATIVE_INFINITY

/** How many of its headers a delivery has, less those that it lacks. */
function scoreOf(
  { signature, timestamp, eventId, eventType }: SenderScheme,
  names: readonly string[],
): number {
  const signatures = signature.headers.filter((name) => names.includes(name)).length
  if (signatures === 0) return NO_SIGNATURE
  const others = [timestamp, eventId, eventType].flatMap((place) =>
    place && 'header' in place ? place.header : [],
  )
  const found = others.filter((name) => names.includes(name)).length
  return signatures + 2 * found - others.length
}
