import { NOTES } from '../../docs/schemes/notes.ts'
import { OTHER_NAMES } from '../../docs/schemes/other-names.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import { WITHOUT_SCHEME, type WithoutScheme } from '../../docs/schemes/without-scheme.ts'
import { dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { largestBody, windowOf } from './schemes-tables.ts'
import { CLAIMS, RECOVERED } from './sender-page.ts'

/** What an entry is made of. */
export interface Found {
  readonly scheme: SenderScheme
  readonly retries: Retries
  /** The default of a listener with the scheme. */
  readonly retentionSeconds: number
}

/** What is true of most senders stands once, before the list. */
const MOST_LIMITS = 'The URL and the other headers are not signed.'

/** The list of docs/schemes.md: all senders, by name, with a scheme or without one. */
export function finder(found: readonly Found[]): string {
  const entries = [
    ...found.map((each) => ({ by: each.scheme.sender, text: entryOf(each) })),
    ...WITHOUT_SCHEME.map((each) => ({ by: each.sender, text: entryWithout(each) })),
  ]
  return entries
    .toSorted((a, b) => a.by.localeCompare(b.by, 'en'))
    .map(({ text }) => `- ${text}`)
    .join('\n')
}

/** A sender with a page has its facts there. Those of the others stand here. */
function entryOf({ scheme, ...found }: Found): string {
  const { name, sender } = scheme
  const hasPage = name in NOTES
  const title = hasPage ? `[**${sender}**](schemes/${name}.md)` : `**${sender}**`
  const also = OTHER_NAMES[name] === undefined ? '' : ` (${OTHER_NAMES[name].join(', ')})`
  const recover = RECOVERED.includes(name) ? '. [Recover](recover.md)' : ''
  return `${title}${also} \`${name}\`${recover}${hasPage ? '' : `. ${factsOf({ scheme, ...found })}`}`
}

function factsOf({ scheme, ...found }: Found): string {
  const { secretName, limits, maxBodyBytes } = scheme
  const window = windowOf(scheme)
  const facts = [
    `${secretName.startsWith('none; pass ') ? secretName.replace('none; p', 'P') : `Pass the ${secretName}`}.`.replace(
      '….',
      '…',
    ),
    limits === MOST_LIMITS ? '' : limits,
    window === '300 s' || window === 'no time' ? '' : `Window: ${window}.`,
    `Deduplicated by ${CLAIMS[dedupeOf(scheme)]}.`,
    maxBodyBytes === 1_048_576 ? '' : `Largest body: ${largestBody(scheme)}.`,
    retriesOf({ scheme, ...found }),
  ]
  return facts.filter(Boolean).join(' ')
}

const UNKNOWN = /^(?:undocumented|not read)$/

function retriesOf(found: Found): string {
  const { says, source, disabled } = found.retries
  const advice = adviceFor(found)
  const off = disabled === undefined ? '' : ` Endpoint disabled: ${disabled}.`
  const what = UNKNOWN.test(says) ? 'unknown' : says
  return `Retries: [${what}](${source}).${off}${advice && ` ${advice}`}`
}

/** What to do for a sender that never retries, or that still does when its event is forgotten. Empty for all others. */
export function adviceFor({ retries, retentionSeconds, scheme }: Found): string {
  const { lastsSeconds = 1 } = retries
  if (lastsSeconds === 0 && RECOVERED.includes(scheme.name)) return '[Recover missed events](recover.md).'
  if (lastsSeconds === 0) return '[Find missed events](recover.md).'
  return lastsSeconds > retentionSeconds ? `Pass \`retentionSeconds: ${lastsSeconds}\`.` : ''
}

const SIGNS: { readonly [signs in WithoutScheme['signs']]: string } = {
  no: '[not signed](#senders-that-do-not-sign)',
  token: '[a token, not signed](#senders-that-do-not-sign)',
  otherwise: 'signed, without a scheme',
  'not confirmed': 'not confirmed',
}

function entryWithout({ sender, otherNames, signs, says, url }: WithoutScheme): string {
  const also = otherNames === undefined ? '' : ` (${otherNames.join(', ')})`
  return `**${sender}**${also}: ${SIGNS[signs]}. ${says} [Source](${url}).`
}
