import { ListenerConfigError } from '../src/errors.ts'
import type { EventStore } from '../src/event-store.ts'
import {
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
} from '../src/lib/options.ts'
import { RETENTION_SECONDS } from '../src/limits.ts'
import { inspectClient, inspectServers } from './shared/redis-check.ts'
import { evaluatorOf, type RedisClient } from './shared/redis-client.ts'
import { compactLayout, plainLayout } from './shared/redis-layout.ts'
import { singlePhase, twoPhase } from './shared/redis-verbs.ts'
import type { StoreProblem } from './shared/store-problem.ts'

export type {
  CallClient,
  CustomCommandClient,
  EvalListsClient,
  EvalOptionsClient,
  RedisClient,
  RedisCommand,
  SendClient,
} from './shared/redis-client.ts'
export type { StoreProblem }

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** Stands in front of every key. Default `hookgate:`; services that share a server need one each. */
  readonly prefix?: string | undefined
  /**
   * `two-phase` (default): a lease while the work runs, then done: at least once. `single`: done with the claim, one
   * write an event, at most once: an event whose handler fails or crashes is lost.
   */
  readonly mode?: 'two-phase' | 'single' | undefined
  /**
   * `plain` (default): a key an event, about 180 bytes (mode `single`: 230). `compact`: shared hashes, about 29 bytes, at
   * a third of the rate; needs Redis 5 and a server that lets a script name its keys (no serverless Redis). `two-phase` only.
   */
  readonly layout?: 'plain' | 'compact' | undefined
  /**
   * Mode `single`: how long an event is remembered, in seconds. Layout `compact`: the longest retention that is kept
   * compact. Default 604,800, which is 7 days; elsewhere the listener alone says it.
   */
  readonly retentionSeconds?: number | undefined
  /**
   * Layout `compact`: over how many hashes a listener's events of one day are spread. More than 512 events in one hash
   * (`hash-max-listpack-entries`) take three times the memory. Default 65,536, good for 30 million events a day.
   * Events are not found again under another number: to change it, change the prefix too.
   */
  readonly shards?: number | undefined
}

/** The store, and what setting it up and keeping it well takes. */
export interface RedisStore extends EventStore {
  /**
   * Looks for settings that lose events: eviction, unwaited replicas, no append-only file; for commands that this user may
   * not run; and for a client whose first lost connection would end the process. An empty list is well.
   * For a start-up log or a health page: it asks the server, and throws what the client throws.
   */
  check(): Promise<StoreProblem[]>
}

const wellFormed: OptionCheck = (value, option) => {
  if (typeof value !== 'string' || !value.isWellFormed()) {
    throw new ListenerConfigError(option, 'must be a well-formed string')
  }
}

const OPTIONS: OptionTable<RedisStoreOptions> = {
  prefix: optional(wellFormed),
  mode: optional(oneOfWords('two-phase', 'single')),
  layout: optional(oneOfWords('plain', 'compact')),
  retentionSeconds: optional(positiveSeconds),
  shards: optional(positiveInteger),
}

/**
 * Remembers events in Redis or Valkey, for all processes that share the server. Takes the client as it is, and never
 * closes it. One script a verb, judged by the server's clock; nothing to set up, nothing to sweep.
 *
 * @throws ListenerConfigError for a client that it does not know, and for options that contradict each other.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RedisStore {
  checkOptions('redisStore', options, OPTIONS)
  checkCombination(options)
  const { prefix = 'hookgate:', shards = 65_536, retentionSeconds = RETENTION_SECONDS } = options
  const evaluate = evaluatorOf(client)
  const retentionMs = retentionSeconds * 1000
  const layout =
    options.layout === 'compact' ? compactLayout(prefix, shards, retentionMs) : plainLayout(prefix)
  const store =
    options.mode === 'single' ? singlePhase(evaluate, layout, retentionMs) : twoPhase(evaluate, layout)
  return {
    ...store,
    check: async () => [
      ...(await inspectServers(evaluate, prefix, layout.commands)),
      ...inspectClient(client),
    ],
  }
}

function checkCombination({ mode, layout, retentionSeconds, shards }: RedisStoreOptions): void {
  if (mode === 'single' && layout === 'compact') {
    throw new ListenerConfigError('layout', "compact keeps no owners, which mode 'single' needs")
  }
  if (shards !== undefined && layout !== 'compact') {
    throw new ListenerConfigError('shards', "is for layout 'compact'")
  }
  if (retentionSeconds !== undefined && layout !== 'compact' && mode !== 'single') {
    throw new ListenerConfigError('retentionSeconds', "is the listener's to say, but in mode 'single'")
  }
}
