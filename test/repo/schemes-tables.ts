import type { SenderScheme } from '../../src/schemes/kit/index.ts'

/** Escapes `|`, which would end a cell in Markdown. */
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function timeSpan(seconds: number | undefined): string {
  if (seconds === undefined) return 'any'
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`
  return seconds % 60 === 0 && seconds > 300 ? `${seconds / 60} min` : `${seconds} s`
}

export function windowOf({ timestamp }: SenderScheme): string {
  if (timestamp === undefined) return 'no time'
  if (timestamp.of === 'event' && timestamp.toleranceSeconds === undefined) return 'any age'
  return `${timeSpan(timestamp.toleranceSeconds)}${timestamp.of === 'event' ? ' old' : ''}`
}

export function largestBody({ maxBodyBytes }: SenderScheme): string {
  const isWhole = maxBodyBytes % 1_048_576 === 0
  return isWhole ? `${maxBodyBytes / 1_048_576} MB` : `${Math.round(maxBodyBytes / 1024)} KB`
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

/**
 * Replaces what stands between two texts of a page: the marks of this name, unless others are given. White space at its ends stays.
 *
 * @throws Error if the two are not there once each, in this order: a merge has lost the page.
 */
export function withMade(
  page: string,
  name: string,
  made: string,
  [start, end]: readonly [string, string] = [
    `<!-- ${name}: npm run docs:schemes -->`,
    `<!-- end of ${name} -->`,
  ],
): string {
  const [before = '', rest, ...others] = page.split(start)
  const [old = '', after, ...more] = rest?.split(end) ?? []
  if (others.length > 0 || after === undefined || more.length > 0)
    throw new Error(`the page needs once each: ${start} ${end}`)
  const [lead = ''] = /^\s*/.exec(old) ?? []
  const [trail = ''] = /\s*$/.exec(old.slice(lead.length)) ?? []
  return `${before}${start}${lead}${made}${trail}${end}${after}`
}
