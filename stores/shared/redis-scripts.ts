// What a key holds: `p:owner` while its lease runs; `d` once done; `d:owner` when it was done by its claim (mode single).
// Each script reads before it writes, so that a full server still knows its duplicates.

/** KEYS: the event. ARGV: the value to hold it with, and for how many milliseconds. */
export const CLAIM = `
local held = redis.call('GET', KEYS[1])
if not held then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'acquired'
end
if held == ARGV[1] then return 'acquired' end
if string.sub(held, 1, 1) == 'd' then return 'done' end
return 'busy'`

/** KEYS: the event. ARGV: the value of its lease, and the retention in milliseconds. */
export const COMMIT = `
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

// Compact: leases as above, and what is done as 16-byte fields of a hash for each shard and day. The day is the one on
// which the field's time ends, its value the millisecond of that day: a bucket goes when its last field is over.

const COMPACT = `
local DAY = 86400000
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local field = string.gsub(ARGV[3], '..', function(hex) return string.char(tonumber(hex, 16)) end)
local function isDone()
  local today = math.floor(now / DAY)
  for day = today, today + tonumber(ARGV[4]) do
    local untilMs = redis.call('HGET', KEYS[2] .. day, field)
    if untilMs and day * DAY + untilMs > now then return true end
  end
  return false
end`

/** As CLAIM, with KEYS[2]: the buckets without their day; ARGV[3]: the event ID in hex; ARGV[4]: days of retention. */
export const COMPACT_CLAIM: string = `${COMPACT}
if isDone() then return 'done' end
${CLAIM}`

/** As COMMIT, with KEYS[2], ARGV[3] and ARGV[4] as above. A longer retention than that stays where the lease was. */
export const COMPACT_COMMIT: string = `${COMPACT}
if isDone() then return 'already' end
if tonumber(ARGV[2]) > ARGV[4] * DAY then ${COMMIT}
end
local held = redis.call('GET', KEYS[1])
if held == 'd' then return 'already' end
if held and held ~= ARGV[1] then return 'lost' end
local ends = now + tonumber(ARGV[2])
local day = math.floor(ends / DAY)
local bucket = KEYS[2] .. day
redis.call('HSET', bucket, field, string.format('%d', ends - day * DAY))
redis.call('PEXPIREAT', bucket, string.format('%.0f', (day + 1) * DAY))
redis.call('DEL', KEYS[1])
return 'committed'`

/**
 * What the server says of itself, without CONFIG, which many providers forbid, and which of the commands in ARGV this user
 * may not run (Redis 7 tells). KEYS: any key of the node.
 */
export const INSPECT = `
local told = {}
for _, section in ipairs({'server', 'memory', 'replication', 'persistence', 'cluster'}) do
  local text = redis.pcall('INFO', section)
  if type(text) == 'table' then return 'refused' end
  told[#told + 1] = text
end
if redis.acl_check_cmd then
  for _, command in ipairs(ARGV) do
    if not redis.acl_check_cmd(command, KEYS[1]) then told[#told + 1] = 'forbidden_' .. command .. ':1' end
  end
end
return table.concat(told, '\\r\\n')`
