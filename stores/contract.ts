import { EventStoreError, ListenerConfigError } from '../src/errors.ts'
import type { EventStore } from '../src/event-store.ts'
import { type OptionTable, oneOfWords, optional, positiveSeconds } from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'

/** Something that can make a store forget, block or grow, and how to fix it. */
export interface StoreProblem {
  /** What was found, for a log. */
  readonly problem: string
  /** What to set or do, for people. */
  readonly fix: string
}

/** When a store records an event as done. Stores on a server or a file have both modes. */
export interface ModeOptions {
  /**
   * `two-phase` (default): leases the event while the handler runs, then commits it. At least once. `single`: commits with
   * the claim, one write per event. At most once: if the handler fails or crashes, the event is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /** How long `single` remembers an event, in seconds. Defaults to 604,800. `two-phase` uses the listener's retention. */
  readonly retentionSeconds?: number | undefined
}

export const MODE_OPTIONS: OptionTable<ModeOptions> = {
  mode: optional(oneOfWords('two-phase', 'single')),
  retentionSeconds: optional(positiveSeconds),
}

/**
 * How long mode `single` remembers an event. Undefined in mode `two-phase`.
 *
 * @throws ListenerConfigError for a retention in mode `two-phase`, which would have no effect.
 */
export function singleSeconds({ mode, retentionSeconds }: ModeOptions): number | undefined {
  if (mode === 'single') return retentionSeconds ?? RETENTION_SECONDS
  if (retentionSeconds === undefined) return undefined
  throw new ListenerConfigError('retentionSeconds', "belongs to mode 'single'; give it to defineListener")
}

/** In mode `single` the claim already commits, so the other methods do nothing. */
export const DONE_BY_CLAIM: Pick<EventStore, 'commit' | 'release'> = {
  commit: () => 'committed',
  release: () => false,
}

/** The answer of an engine's statement or script. @throws EventStoreError for any other value, e.g. of a client that converts replies. */
export function knownAnswer<const Answer extends string>(
  engine: string,
  answers: readonly Answer[],
  seen: unknown,
): Answer {
  const answer = answers.find((known) => known === seen)
  if (answer !== undefined) return answer
  throw new EventStoreError(`${engine} returned something other than ${answers.join(', ')}`)
}

export function tableMissing(cause: unknown): EventStoreError {
  return new EventStoreError('the table of events is missing: run `await store.migrate()` once', { cause })
}
