import { UsageError } from '../command-line/exit.ts'
import { wholeNumber } from '../command-line/values.ts'
import type { Inspected } from './inspected.ts'
import { DEFAULT_KEEP, DEFAULT_UI_PORT, type InspectorValues } from './options.ts'
import { loadRecords } from './record-file.ts'

const MOST_KEPT = 100_000

/** The inspector's options, checked. */
export interface InspectorPlan {
  /** Undefined with `--record` alone. */
  readonly port: number | undefined
  /** Whether to open the page in a browser. */
  readonly open: boolean
  readonly keep: number
  readonly record: string | undefined
  /** The deliveries of `--load`. */
  readonly loaded: readonly Inspected[]
}

const PAGE_ONLY = ['ui-port', 'open', 'keep', 'key'] as const

/** Undefined if no option asks for an inspector. @throws UsageError before anything is opened. */
export async function readPlan(given: InspectorValues): Promise<InspectorPlan | undefined> {
  const { ui = false, record, load, keep = `${DEFAULT_KEEP}`, 'ui-port': port = `${DEFAULT_UI_PORT}` } = given
  const wantsPage = ui || load !== undefined
  const stray = PAGE_ONLY.find((option) => given[option] !== undefined && !wantsPage)
  if (stray) throw new UsageError(`--${stray} is for the inspector: add --ui`)
  if (!wantsPage && record === undefined) return undefined
  return {
    port: wantsPage ? wholeNumber('--ui-port', port, 0, 65_535) : undefined,
    open: given.open ?? false,
    keep: wholeNumber('--keep', keep, 1, MOST_KEPT),
    record,
    loaded: load === undefined ? [] : await loadRecords(load),
  }
}
