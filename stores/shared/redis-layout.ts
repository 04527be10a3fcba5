import { type EventKey, eventKeyText } from '../../src/event-store.ts'
import { CLAIM, COMMIT, COMPACT_CLAIM, COMPACT_COMMIT } from './redis-scripts.ts'

/** Where in Redis an event is kept, and the scripts that know it. */
export interface RedisLayout {
  readonly claimScript: string
  readonly commitScript: string
  /** What the scripts run, and so does whoever releases. */
  readonly commands: readonly string[]
  /** The event's lease comes first. */
  keysOf(key: EventKey): string[]
  /** What the scripts take behind owner and time. */
  argsOf(key: EventKey): string[]
}

const PLAIN_COMMANDS = ['GET', 'SET', 'DEL']

/** One key an event: about 180 bytes. */
export function plainLayout(prefix: string): RedisLayout {
  return {
    claimScript: CLAIM,
    commitScript: COMMIT,
    commands: PLAIN_COMMANDS,
    keysOf: (key) => [prefix + eventKeyText(key)],
    argsOf: () => [],
  }
}

const DAY_MS = 86_400_000

/**
 * Done events share a hash for each listener, shard and day: about 29 bytes an event. The shard number is the hash tag,
 * so that an event's lease and its buckets are on one node of a cluster.
 */
export function compactLayout(prefix: string, shards: number, longestRetentionMs: number): RedisLayout {
  const days = `${Math.ceil(longestRetentionMs / DAY_MS)}`
  return {
    claimScript: COMPACT_CLAIM,
    commitScript: COMPACT_COMMIT,
    commands: [...PLAIN_COMMANDS, 'TIME', 'HGET', 'HSET', 'PEXPIREAT'],
    keysOf(key) {
      // A version 4 UUID begins with 32 random bits.
      const shard = `${prefix}{${Number.parseInt(key.eventId.slice(0, 8), 16) % shards}}`
      return [`${shard}:lease:${eventKeyText(key)}`, `${shard}:done:${key.listenerId}:`]
    },
    argsOf: ({ eventId }) => [eventId.replaceAll('-', ''), days],
  }
}
