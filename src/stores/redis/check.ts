import { EventStoreError } from '../../errors.ts'
import { memberOf } from '../../lib/member-of.ts'
import { isUnheard, problemsIn, type StoreProblem } from '../contract.ts'
import { type Evaluate, type RedisClient, replyText } from './client.ts'

/**
 * Returns the server's INFO (not CONFIG, which many providers forbid), and those commands in ARGV that this user may not run
 * (Redis 7). KEYS: any key of the node.
 */
const INSPECT = `
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

/** Probed keys, to reach every node of a cluster. Misses a node with 1/24 of the slots in 1 of 15 cases. */
const CLUSTER_PROBES = 64

/** One server's INFO, e.g. `maxmemory_policy` → `noeviction`. */
type Told = ReadonlyMap<string, string>

const SECRETIVE: StoreProblem = {
  problem: 'the server does not reveal its settings (INFO is forbidden, or lacks maxmemory-policy)',
  fix: 'ask its provider whether maxmemory-policy is noeviction, and what a failover may lose',
}

/**
 * @param commands The commands that the store's scripts run.
 * @throws EventStoreError for an invalid reply, and any error of the client.
 */
export async function inspectServers(
  evaluate: Evaluate,
  prefix: string,
  commands: readonly string[],
): Promise<StoreProblem[]> {
  const inspect = async (key: string) => toldBy(replyText(await evaluate(INSPECT, [key], [...commands])))
  const first = await inspect(`${prefix}check`)
  if (first === undefined) return [SECRETIVE]
  if (first.get('cluster_enabled') !== '1') return problemsOf(first)
  const probes = Array.from({ length: CLUSTER_PROBES }, (_, probe) => inspect(`${prefix}check:${probe}`))
  const nodes = new Map<string, Told>()
  for (const told of await Promise.all(probes)) if (told) nodes.set(told.get('run_id') ?? '', told)
  return [...nodes.values()].flatMap((told) => problemsOf(told, `node ${told.get('tcp_port')}: `))
}

/** Undefined if the server does not reveal its settings. */
function toldBy(text: string | undefined): Told | undefined {
  const told = new Map<string, string>()
  for (const [, name = '', value = ''] of text?.matchAll(/^(\w+):([^\r\n]*)/gm) ?? []) told.set(name, value)
  if (told.has('maxmemory_policy')) return told
  if (text === 'refused' || told.size > 0) return undefined
  throw new EventStoreError('the Redis client returned something other than the sections of INFO')
}

function problemsOf(told: Told, where = ''): StoreProblem[] {
  const policy = told.get('maxmemory_policy')
  const forbidden = [...told.keys()].flatMap((name) => /^forbidden_(\w+)$/.exec(name)?.[1] ?? [])
  return problemsIn([
    [
      policy !== 'noeviction' && told.get('maxmemory') !== '0',
      `${where}maxmemory-policy is ${policy}: when memory is short, events are evicted, and then accepted again`,
      'set maxmemory-policy to noeviction: while the server is full, deliveries get a 503, and nothing is forgotten',
    ],
    [
      told.get('role') === 'slave',
      `${where}this is a replica, which cannot store events`,
      'connect to the primary',
    ],
    [
      Number(told.get('connected_slaves') ?? 0) > 0 && !told.has('min_slaves_good_slaves'),
      `${where}replication is asynchronous: a failover can lose the newest events`,
      'set min-replicas-to-write to 1, which makes that rarer, or accept that an event may run twice after a failover',
    ],
    [
      told.get('aof_enabled') === '0',
      `${where}appendonly is off: a restart forgets the events since the last snapshot`,
      'set appendonly to yes',
    ],
    [
      forbidden.length > 0,
      `${where}this user may not run ${forbidden.join(', ')}: deliveries get a 503, or are not recorded as done`,
      `ACL SETUSER … ${forbidden.map((command) => `+${command.toLowerCase()}`).join(' ')}`,
    ],
  ])
}

export function inspectClient(client: RedisClient): StoreProblem[] {
  const has = (name: string) => memberOf(client, name) !== undefined
  const isNodeRedis = has('sendCommand') && !has('call') && !has('masters')
  return problemsIn([
    [
      isNodeRedis && isUnheard(client),
      'no error listener on the client: a broken connection ends this process',
      "client.on('error', (error) => log(error)), before it connects",
    ],
  ])
}
