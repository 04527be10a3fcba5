import { NOTES } from '../../docs/schemes/notes.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import { coverageOf } from '../../src/schemes/kit/compile-scheme.ts'
import type { Dedupe, Scheme } from '../../src/schemes/kit/index.ts'

/** Escapes `|`, which would end a cell in Markdown. */
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function timeSpan(seconds: number | undefined): string {
  if (seconds === undefined) return 'any'
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`
  return seconds % 60 === 0 && seconds > 300 ? `${seconds / 60} min` : `${seconds} s`
}

export function windowOf({ timestamp }: Scheme): string {
  if (timestamp === undefined) return 'no time'
  if (timestamp.of === 'event' && timestamp.toleranceSeconds === undefined) return 'any age'
  return `${timeSpan(timestamp.toleranceSeconds)}${timestamp.of === 'event' ? ' old' : ''}`
}

export function largestBody({ maxBodyBytes }: Scheme): string {
  const isWhole = maxBodyBytes % 1_048_576 === 0
  return isWhole ? `${maxBodyBytes / 1_048_576} MB` : `${Math.round(maxBodyBytes / 1024)} KB`
}

function handshakeOf({ handshake }: Scheme): string {
  if (handshake === undefined) return '–'
  const also = handshake.answerUnsigned ? ', and one unsigned' : ''
  return handshake.signed ? `yes, signed${also}` : 'yes'
}

const HEAD = [
  'sender',
  'import',
  'secret',
  'covers',
  'window',
  'deduplicated by',
  'handshake',
  'largest body',
  'not covered',
]

const byName = (a: { scheme: Scheme }, b: { scheme: Scheme }) =>
  `${a.scheme.sender} ${a.scheme.name}`.localeCompare(`${b.scheme.sender} ${b.scheme.name}`, 'en')

/** One line per sender, ordered by name. */
export function sendersTable(
  schemes: readonly { readonly scheme: Scheme; readonly dedupe: Dedupe }[],
): string {
  const rows = schemes
    .toSorted(byName)
    .map(({ scheme, dedupe }) =>
      row([
        scheme.name in NOTES ? `[${scheme.sender}](schemes/${scheme.name}.md)` : scheme.sender,
        `\`hookgate/schemes/${scheme.name}\``,
        scheme.secretName,
        coverageOf(scheme),
        windowOf(scheme),
        dedupe.replaceAll('-', ' '),
        handshakeOf(scheme),
        largestBody(scheme),
        scheme.limits,
      ]),
    )
  return [row(HEAD), row(HEAD.map(() => '---')), ...rows].join('\n')
}

export interface Retrying {
  readonly scheme: Scheme
  readonly retries: Retries
  /** The default of a listener with the scheme. */
  readonly retentionSeconds: number
}

/** What to change for a sender that never retries, or that still does when its event is forgotten. */
export function adviceFor({ retries: { lastsSeconds }, retentionSeconds }: Omit<Retrying, 'scheme'>): string {
  if (lastsSeconds === 0) return '[find missed events](missed-events.md)'
  return lastsSeconds !== undefined && lastsSeconds > retentionSeconds
    ? `\`retentionSeconds: ${lastsSeconds}\``
    : '–'
}

/** One line per sender, ordered by name. */
export function retriesTable(senders: readonly Retrying[]): string {
  const rows = senders.toSorted(byName).map((sender) => {
    const { says, timeoutSeconds, disabled = '–', source } = sender.retries
    const timeout = timeoutSeconds === undefined ? '–' : `${timeoutSeconds} s`
    const where = `[${new URL(source).hostname.replace(/^www\./, '')}](${source})`
    return row([sender.scheme.sender, says, timeout, disabled, adviceFor(sender), where])
  })
  const head = ['sender', 'retries', 'waits', 'endpoint disabled', 'what to do', 'source']
  return [row(head), row(head.map(() => '---')), ...rows].join('\n')
}

interface Differing {
  readonly scheme: string
  readonly cases: readonly {
    readonly expect: { readonly ok: boolean }
    readonly sdk: string
    readonly why?: string
  }[]
}

/** One line per reason, with the schemes that it stands for. */
export function differencesTable(files: readonly Differing[]): string {
  const found = new Map<string, Set<string>>()
  for (const { scheme, cases } of files) {
    for (const { expect, sdk, why } of cases) {
      if (why === undefined || sdk === 'not asked' || (sdk === 'accepts') === expect.ok) continue
      const who = expect.ok ? 'hookgate accepts, the SDK refuses' : 'the SDK accepts, hookgate refuses'
      const key = `${who}\n${why}`
      found.set(key, (found.get(key) ?? new Set()).add(scheme))
    }
  }
  const rows = [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, schemes]) => row([...key.split('\n'), [...schemes].toSorted().join(', ')]))
  return [row(['who', 'why', 'where']), row(['---', '---', '---']), ...rows].join('\n')
}

/** Replaces the table between the two marks of a page. */
export function withTable(page: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}: npm run docs:schemes -->`, `<!-- end of ${name} -->`]
  const [before = '', rest = ''] = page.split(start)
  return `${before}${start}\n\n${table}\n\n${rest.slice(rest.indexOf(end))}`
}
