import { type EventKey, eventKeyText } from '../../event-store.ts'

// Values: `p:owner` while leased, `d` or a text that begins so once committed.
// Each script reads before it writes, so that a full server still detects duplicates.

/** KEYS: the event. ARGV: the value to set, and the expiry in milliseconds. */
const CLAIM = `
local held = redis.call('GET', KEYS[1])
if not held then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'acquired'
end
if held == ARGV[1] then return 'acquired' end
if string.sub(held, 1, 1) == 'd' then return 'done' end
return 'busy'`

/** KEYS: the event. ARGV: the value of its lease, and the retention in milliseconds. */
const COMMIT = `
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, 1) == 'd' then return 'already' end
if held and held ~= ARGV[1] then return 'lost' end
redis.call('SET', KEYS[1], 'd', 'PX', ARGV[2])
return 'committed'`

/** KEYS: the event. ARGV: the value of its lease. */
export const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'kept' end
redis.call('DEL', KEYS[1])
return 'released'`

/** KEYS: the event. ARGV: the value of its lease, and its new length in milliseconds. Works on a full server too, unlike SET. */
export const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'kept' end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 'renewed'`

// Compact: leases as above. Committed events are 16-byte fields of one hash per listener, shard and day. The day is when
// the field expires, and its value is the millisecond of that day. A bucket expires with its last field. Beside the buckets,
// `far` names the last one that was more than a week ahead when it was written.

/** A longer retention is kept in the lease's key. */
const MOST_DAYS = 366
/** So many days more are read than the commits need, because the server's clock may be set back. */
const SPARE_DAYS = 7

/** Reads the buckets of all days ahead, whatever the options of the store that wrote them, and at least those of its own option. */
const COMPACT = `
local DAY = 86400000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local today = math.floor(now / DAY)
local field = string.gsub(ARGV[3], '..', function(hex) return string.char(tonumber(hex, 16)) end)
local function isDone()
  local far = math.min(tonumber(redis.call('GET', KEYS[2] .. 'far') or 0), today + ${MOST_DAYS})
  for day = today, math.max(far, today + math.max(7, ARGV[4])) + ${SPARE_DAYS} do
    local untilMs = redis.call('HGET', KEYS[2] .. day, field)
    if untilMs and day * DAY + untilMs > now then return true end
  end
  return false
end`

/** Like CLAIM, plus KEYS[2]: the bucket prefix; ARGV[3]: the event ID in hex; ARGV[4]: days of retention. */
const COMPACT_CLAIM = `${COMPACT}
if isDone() then return 'done' end
${CLAIM}`

/**
 * Like COMMIT, plus KEYS[2], ARGV[3] and ARGV[4] as above. Its own lease proves that the event is not done. A longer retention
 * is stored in the lease's key.
 */
const COMPACT_COMMIT = `${COMPACT}
local held = redis.call('GET', KEYS[1])
if held and string.sub(held, 1, 1) == 'd' then return 'already' end
if held and held ~= ARGV[1] then return 'lost' end
if not held and isDone() then return 'already' end
if tonumber(ARGV[2]) > math.min(ARGV[4], ${MOST_DAYS}) * DAY then
  redis.call('SET', KEYS[1], 'd', 'PX', ARGV[2])
  return 'committed'
end
local ends = now + tonumber(ARGV[2])
local day = math.floor(ends / DAY)
local bucket = KEYS[2] .. day
if day > today + 7 then
  local far = tonumber(redis.call('GET', KEYS[2] .. 'far') or 0)
  if day > far then redis.call('SET', KEYS[2] .. 'far', day, 'PX', string.format('%.0f', (day + 1) * DAY - now)) end
end
redis.call('HSET', bucket, field, string.format('%d', ends - day * DAY))
redis.call('PEXPIREAT', bucket, string.format('%.0f', (day + 1) * DAY))
redis.call('DEL', KEYS[1])
return 'committed'`

/** Where Redis stores an event, and the scripts for it. */
export interface RedisStatements {
  readonly claim: string
  readonly commit: string
  /** The commands that the scripts run, including the release and the renewal. */
  readonly commands: readonly string[]
  /** The first key is the event's lease. The arguments come after the owner and the time. */
  at(key: EventKey): { keys: string[]; args: string[] }
}

const PLAIN_COMMANDS = ['GET', 'SET', 'DEL', 'PEXPIRE']

/** One key per event, about 180 bytes. */
export function plainStatements(prefix: string): RedisStatements {
  return {
    claim: CLAIM,
    commit: COMMIT,
    commands: PLAIN_COMMANDS,
    at: (key) => ({ keys: [prefix + eventKeyText(key)], args: [] }),
  }
}

const DAY_MS = 86_400_000

/**
 * Committed events share one hash per listener, shard and day, about 29 bytes per event. The shard number is the hash tag,
 * so that an event's lease and buckets are on the same cluster node.
 */
export function compactStatements(
  prefix: string,
  shards: number,
  longestRetentionMs: number,
): RedisStatements {
  const days = `${Math.ceil(longestRetentionMs / DAY_MS)}`
  return {
    claim: COMPACT_CLAIM,
    commit: COMPACT_COMMIT,
    commands: [...PLAIN_COMMANDS, 'TIME', 'HGET', 'HSET', 'PEXPIREAT'],
    at(key) {
      // A version 4 UUID starts with 32 random bits.
      const shard = `${prefix}{${Number.parseInt(key.eventId.slice(0, 8), 16) % shards}}`
      const keys = [`${shard}:lease:${eventKeyText(key)}`, `${shard}:done:${key.listenerId}:`]
      return { keys, args: [key.eventId.replaceAll('-', ''), days] }
    },
  }
}
