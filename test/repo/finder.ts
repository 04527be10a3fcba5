import { NOTES } from '../../docs/schemes/notes.ts'
import { OTHER_NAMES } from '../../docs/schemes/other-names.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import { WITHOUT_SCHEME, type WithoutScheme } from '../../docs/schemes/without-scheme.ts'
import { coverageOf, dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
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

/**
 * A row of what is signed, what recognises a duplicate, and how long the sender retries. A sender with a page has the rest there.
 * Those of the others are folded.
 */
function entryOf({ scheme, ...found }: Found): string {
  const { name, sender } = scheme
  const hasPage = name in NOTES
  const title = hasPage ? `[**${sender}**](schemes/${name}.md)` : `**${sender}**`
  const also = OTHER_NAMES[name] === undefined ? '' : ` (${OTHER_NAMES[name].join(', ')})`
  const recover = RECOVERED.includes(name) ? ' [Recover](recover.md)' : ''
  const row = [signedOf(scheme), `Deduplicated by ${CLAIMS[dedupeOf(scheme)]}`, retriedFor(found.retries)]
  return `${title}${also} \`${name}\`<br>${row.map((cell) => `<span>${cell}.</span>`).join(' ')}${hasPage ? recover : folded(factsOf({ scheme, ...found }) + recover)}`
}

const folded = (facts: string) => ` <details><summary>Details</summary>${facts}</details>`

const SIGNED: { readonly [coverage: string]: string } = {
  values: 'Some values are signed',
  token: 'A token, no signature',
  nothing: 'Nothing is signed',
}

function signedOf(scheme: SenderScheme): string {
  const whole = scheme.timestamp === undefined ? 'The body is signed' : 'Body and time are signed'
  return SIGNED[coverageOf(scheme)] ?? whole
}

const SPANS = [
  { seconds: 86_400, name: 'days' },
  { seconds: 3_600, name: 'hours' },
  { seconds: 60, name: 'minutes' },
  { seconds: 1, name: 'seconds' },
]

function retriedFor({ says, lastsSeconds }: Retries): string {
  if (lastsSeconds === 0) return 'No retries'
  if (lastsSeconds === undefined) return UNKNOWN.test(says) ? 'Retries unknown' : 'Retries, no end documented'
  const { seconds, name } = SPANS.find((span) => lastsSeconds >= 2 * span.seconds) ?? {
    seconds: 1,
    name: 'seconds',
  }
  return `Retries for ${Math.round(lastsSeconds / seconds)} ${name}`
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
  no: '[Not signed](#senders-that-do-not-sign)',
  token: '[A token, no signature](#senders-that-do-not-sign)',
  otherwise: 'Signed, without a scheme',
  'not confirmed': 'Not confirmed',
}

function entryWithout({ sender, otherNames, signs, says, url }: WithoutScheme): string {
  const also = otherNames === undefined ? '' : ` (${otherNames.join(', ')})`
  return `**${sender}**${also}<br><span>${SIGNS[signs]}.</span>${folded(`${says} [Source](${url}).`)}`
}
