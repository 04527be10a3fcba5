import type { SenderScheme } from 'hookgate/schemes'
import { allSchemes } from './senders.ts'

/** The scheme whose headers these are. Where several fit equally, the given one, or that which the others share. */
export async function fittingScheme(names: readonly string[], chosen: string): Promise<string> {
  if (names.includes('webhook-event-id')) return names.includes('authorization') ? 'jwt' : 'hmac'
  const scores = (await allSchemes()).map((scheme) => ({ scheme, score: scoreOf(scheme, names) }))
  const best = Math.max(...scores.map(({ score }) => score))
  const fitting = scores.filter(({ score }) => score === best).map(({ scheme }) => scheme.name)
  if (best === 0 || fitting.includes(chosen)) return chosen
  return fitting.includes('standard-webhooks') ? 'standard-webhooks' : (fitting[0] ?? chosen)
}

/** How many of its headers a delivery has, if it has a signature. */
function scoreOf(
  { signature, timestamp, eventId, eventType }: SenderScheme,
  names: readonly string[],
): number {
  if (!signature.headers.some((name) => names.includes(name))) return 0
  const others = [timestamp, eventId, eventType].flatMap((place) =>
    place && 'header' in place ? place.header : [],
  )
  return [...signature.headers, ...others].filter((name) => names.includes(name)).length
}
