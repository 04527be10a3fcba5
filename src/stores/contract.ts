import { sha256 } from '#crypto'
import { EventStoreError, ListenerConfigError } from '../errors.ts'
import { storedKey } from '../event-key.ts'
import type { ClaimAnswer, CommitAnswer, EventKey, EventStore } from '../event-store.ts'
import { type OptionTable, oneOfWords, optional, positiveSeconds } from '../lib/options.ts'
import { RETENTION_SECONDS } from '../limits.ts'

/** Something that can make a store forget, block or grow, and how to fix it. */
export interface StoreProblem {
  /** What was found, for a log. */
  readonly problem: string
  /** What to set or do, for people. */
  readonly fix: string
}

/** The problems of a list that were found. */
export function problemsIn(
  list: readonly (readonly [isFound: boolean, problem: string, fix: string])[],
): StoreProblem[] {
  return list.filter(([isFound]) => isFound).map(([, problem, fix]) => ({ problem, fix }))
}

/** Stores inside a transaction of the caller, who may still roll back what they answered. */
export const INSIDE_TRANSACTIONS: WeakSet<EventStore> = new WeakSet()

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

/** What an engine does, for keys as stored. */
export interface EngineVerbs {
  /** `done`: the claim also commits, as in mode `single`. */
  claim(key: EventKey, owner: string, milliseconds: number, done: boolean): Promise<ClaimAnswer>
  commit(key: EventKey, owner: string, milliseconds: number): Promise<CommitAnswer>
  release(key: EventKey, owner: string): Promise<boolean>
  /** Undefined inside a transaction of the caller, which keeps the event by itself. */
  readonly renew: ((key: EventKey, owner: string, milliseconds: number) => Promise<boolean>) | undefined
}

/** The store of an engine: in mode `two-phase`, or in mode `single` with the time that it remembers an event. */
export function storeOf(verbs: EngineVerbs, seconds: number | undefined): EventStore {
  const { renew } = verbs
  if (seconds !== undefined) {
    return {
      replayWindowSeconds: seconds,
      claim: async (key, owner, _leaseMs, retentionMs = Infinity) =>
        verbs.claim(await storedKey(key), owner, Math.min(seconds * 1000, retentionMs), true),
      commit: () => 'committed',
      release: () => false,
    }
  }
  return {
    claim: async (key, owner, leaseMs) => verbs.claim(await storedKey(key), owner, leaseMs, false),
    commit: async (key, owner, retentionMs) => verbs.commit(await storedKey(key), owner, retentionMs),
    release: async (key, owner) => verbs.release(await storedKey(key), owner),
    ...(renew && { renew: async (key, owner, leaseMs) => renew(await storedKey(key), owner, leaseMs) }),
  }
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

/** Escapes a text to printable ASCII, which a database stores in any encoding, unlike NUL. Different texts stay different. */
export function asciiText(text: string): string {
  return text.replace(/[^ -[\]-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A text of any length as stored: in ASCII, or, beyond `longest`, as a digest, which cannot equal an escaped text. */
export async function storedText(text: string, longest: number): Promise<string> {
  const ascii = asciiText(text)
  return ascii.length > longest ? `\\sha256:${await sha256(ascii)}` : ascii
}
