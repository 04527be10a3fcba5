import type { OptionRows, ValuesOf } from '../command-line/command.ts'
import { refuseStray, wholeNumber } from '../command-line/values.ts'
import { loadRecords } from './record.ts'

const DEFAULT_UI_PORT = 8788
const DEFAULT_KEEP = 200

export const INSPECTOR_OPTIONS = {
  ui: {
    says: 'Show deliveries on a local page that says why they were refused, and runs them again',
  },
  'ui-port': {
    value: 'N',
    says: `The port of the page; 0 picks a free one (default: ${DEFAULT_UI_PORT}, or the next free one)`,
  },
  open: { says: 'Open the page in your browser' },
  keep: {
    value: 'N',
    says: `How many deliveries the page keeps (default: ${DEFAULT_KEEP}, at most 16 MB together)`,
  },
  record: { value: 'FILE', says: 'Append each delivery to FILE as NDJSON, with bodies and signatures' },
  load: { value: 'FILE', says: 'Show the deliveries of an earlier --record on the page; implies --ui' },
  key: { value: 'FILE', says: 'The private key, as a JWK, that signs what the page runs again' },
} satisfies OptionRows

export type InspectorValues = ValuesOf<typeof INSPECTOR_OPTIONS>

const MOST_KEPT = 100_000

export type InspectorSettings = NonNullable<Awaited<ReturnType<typeof readInspectorSettings>>>

/** Undefined if no option asks for an inspector. @throws UsageError before anything is opened. */
export async function readInspectorSettings(given: InspectorValues) {
  const { ui = false, record, load, keep = `${DEFAULT_KEEP}`, 'ui-port': port = `${DEFAULT_UI_PORT}` } = given
  const wantsPage = ui || load !== undefined
  if (!wantsPage) refuseStray(given, ['ui-port', 'open', 'keep', 'key'], 'is for the inspector: add --ui')
  if (!wantsPage && record === undefined) return undefined
  return {
    /** Undefined with `--record` alone. */
    port: wantsPage ? wholeNumber('--ui-port', port, 0, 65_535) : undefined,
    open: given.open ?? false,
    keep: wholeNumber('--keep', keep, 1, MOST_KEPT),
    record,
    loaded: load === undefined ? [] : await loadRecords(load),
  }
}
