import { NOTES } from './notes.ts'
import { RETRIES } from './retries.ts'

/** Where and when the facts of a row were read. */
export interface Source {
  /** The page, SDK or OpenAPI document of the sender that says how it signs. */
  readonly url: string
  /** The day, such as `2026-11-27`, or the month if the day was not written down. */
  readonly read: string
}

/** By the name of the scheme, in alphabetical order. Older rows have none: `sourceOf` takes what was read of their retries. */
const SOURCES: { readonly [scheme: string]: Source } = {
  'commerce-layer': { url: 'https://docs.commercelayer.io/core/callbacks-security', read: '2026-11-27' },
  fireflies: { url: 'https://docs.fireflies.ai/graphql-api/webhooks-v2', read: '2026-11-27' },
  'modern-treasury': {
    url: 'https://docs.moderntreasury.com/platform/reference/webhooks',
    read: '2026-11-27',
  },
  orb: { url: 'https://github.com/orbcorp/orb-node/blob/main/src/resources/webhooks.ts', read: '2026-11-27' },
  tally: { url: 'https://tally.so/help/webhooks', read: '2026-11-27' },
  tiktok: { url: 'https://developers.tiktok.com/doc/webhooks-verification', read: '2026-11-27' },
}

/** Whether the day on which a row was read is known. A test holds that it is, for each row added since. */
export const isDated = (scheme: string): boolean => scheme in SOURCES

/** Where and when a row was read. Undefined if nothing says so. */
export function sourceOf(scheme: string): Source | undefined {
  const url = NOTES[scheme]?.guide ?? RETRIES[scheme]?.source
  return SOURCES[scheme] ?? (url === undefined ? undefined : { url, read: '2026-11' })
}
