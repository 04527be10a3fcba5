import { type EventKey, eventKeyText } from '../../src/event-store.ts'
import { CLAIM, COMMIT, COMPACT_CLAIM, COMPACT_COMMIT } from './scripts.ts'

/** Where Redis stores an event, and the scripts for it. */
export interface RedisLayout {
  readonly claimScript: string
  readonly commitScript: string
  /** The commands that the scripts run, including the release. */
  readonly commands: readonly string[]
  /** The first key is the event's lease. */
  keysOf(key: EventKey): string[]
  /** The script arguments after owner and time. */
  argsOf(key: EventKey): string[]
}

const PLAIN_COMMANDS = ['GET', 'SET', 'DEL']

/** One key per event, about 180 bytes. */
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
 * Committed events share one hash per listener, shard and day, about 29 bytes per event. The shard number is the hash tag,
 * so that an event's lease and buckets are on the same cluster node.
 */
export function compactLayout(prefix: string, shards: number, longestRetentionMs: number): RedisLayout {
  const days = `${Math.ceil(longestRetentionMs / DAY_MS)}`
  return {
    claimScript: COMPACT_CLAIM,
    commitScript: COMPACT_COMMIT,
    commands: [...PLAIN_COMMANDS, 'TIME', 'HGET', 'HSET', 'PEXPIREAT'],
    keysOf(key) {
      // A version 4 UUID starts with 32 random bits.
      const shard = `${prefix}{${Number.parseInt(key.eventId.slice(0, 8), 16) % shards}}`
      return [`${shard}:lease:${eventKeyText(key)}`, `${shard}:done:${key.listenerId}:`]
    },
    argsOf: ({ eventId }) => [eventId.replaceAll('-', ''), days],
  }
}
