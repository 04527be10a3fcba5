import { ListenerConfigError } from '../../errors.ts'
import { CLAIM_ANSWERS, COMMIT_ANSWERS, type EventKey, type EventStore } from '../../event-store.ts'
import {
  checkOptions,
  type OptionCheck,
  type OptionTable,
  oneOfWords,
  optional,
  positiveInteger,
  positiveSeconds,
} from '../../lib/options.ts'
import { RETENTION_SECONDS } from '../../limits.ts'
import { type EngineVerbs, knownAnswer, type StoreProblem, storeOf } from '../contract.ts'
import { REDIS_FIXES } from '../fixes.ts'
import { inspectClient, inspectServers } from './check.ts'
import { evaluatorOf, type RedisClient, replyText } from './client.ts'
import { compactStatements, plainStatements, RELEASE, RENEW } from './statements.ts'

export type {
  CallClient,
  CustomCommandClient,
  EvalListsClient,
  EvalOptionsClient,
  RedisClient,
  RedisCommand,
  SendClient,
} from './client.ts'
export type { StoreProblem }

/** The options of `redisStore`. */
export interface RedisStoreOptions {
  /** Prefix of every key. Defaults to `hookgate:`. Services that share a server each need their own. */
  readonly prefix?: string | undefined
  /**
   * `plain` (default): one key per event, about 180 bytes. `compact`: shared hashes, about 29 bytes per event, at a third of the
   * throughput. `compact` needs Redis 5 and a server that allows scripts to compute keys (no serverless Redis).
   */
  readonly layout?: 'plain' | 'compact' | undefined
  /**
   * In layout `compact`: the longest retention that is stored compactly, in seconds, up to 366 days. Processes may differ in it.
   * Defaults to 604,800 (7 days). How long an event is remembered is an option of the listener.
   */
  readonly retentionSeconds?: number | undefined
  /**
   * In layout `compact`: number of hashes for a listener's events of one day. A hash of more than 512 events
   * (`hash-max-listpack-entries`) takes three times the memory. Defaults to 65,536, enough for 30 million events per day.
   * After a change, the store does not find earlier events, so change the prefix too.
   */
  readonly shards?: number | undefined
}

/**
 * The store, with methods for setup and maintenance.
 *
 * @example
 * ```ts
 * const store: RedisStore = redisStore(client)
 * for (const { problem, fix } of await store.check()) console.warn(problem, fix)
 * ```
 */
export interface RedisStore extends EventStore {
  /**
   * Lists settings that can lose events (eviction, asynchronous replicas, no append-only file), commands that this user may
   * not run, and a client whose first lost connection would end the process. Empty if there are none.
   * Queries the server, and throws what the client throws. Use it in a startup log or a health page.
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
  layout: optional(oneOfWords('plain', 'compact')),
  retentionSeconds: optional(positiveSeconds),
  shards: optional(positiveInteger),
}

/**
 * Stores events in Redis or Valkey, shared by all processes that use the server. Runs one script per method, by the server's
 * clock. Needs no setup and no sweeping. Never closes the client.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 *
 * const store = redisStore(new Redis(process.env.REDIS_URL ?? ''))
 * ```
 *
 * @throws ListenerConfigError for an unknown client, and for contradictory options.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): RedisStore {
  checkOptions('redisStore', options, OPTIONS)
  checkCombination(options)
  const { prefix = 'hookgate:', shards = 65_536, retentionSeconds = RETENTION_SECONDS } = options
  const evaluate = evaluatorOf(client)
  const statements =
    options.layout === 'compact'
      ? compactStatements(prefix, shards, retentionSeconds * 1000)
      : plainStatements(prefix)
  const ask = async <Answer extends string>(
    answers: readonly Answer[],
    ...question: Parameters<typeof evaluate>
  ) => knownAnswer('the Redis client', answers, replyText(await evaluate(...question)))
  const leaseKey = (key: EventKey) => statements.at(key).keys.slice(0, 1)
  const verbs: EngineVerbs = {
    claim(key, owner, ms) {
      const { keys, args } = statements.at(key)
      return ask(CLAIM_ANSWERS, statements.claim, keys, [`p:${owner}`, whole(ms), ...args])
    },
    commit(key, owner, ms) {
      const { keys, args } = statements.at(key)
      return ask(COMMIT_ANSWERS, statements.commit, keys, [`p:${owner}`, whole(ms), ...args])
    },
    async release(key, owner) {
      return (await ask(['released', 'kept'], RELEASE, leaseKey(key), [`p:${owner}`])) === 'released'
    },
    async renew(key, owner, ms) {
      return (await ask(['renewed', 'kept'], RENEW, leaseKey(key), [`p:${owner}`, whole(ms)])) === 'renewed'
    },
  }
  return {
    ...storeOf(verbs, REDIS_FIXES),
    check: async () => [
      ...(await inspectServers(evaluate, prefix, statements.commands)),
      ...inspectClient(client),
    ],
  }
}

/** Rounds milliseconds up, because Redis takes integers. */
function whole(milliseconds: number): string {
  return `${Math.ceil(milliseconds)}`
}

function checkCombination({ layout, retentionSeconds, shards }: RedisStoreOptions): void {
  if (layout === 'compact') return
  if (shards !== undefined) throw new ListenerConfigError('shards', "needs layout 'compact'")
  if (retentionSeconds !== undefined) {
    throw new ListenerConfigError(
      'retentionSeconds',
      "needs layout 'compact'; how long an event is remembered is an option of defineListener",
    )
  }
}
