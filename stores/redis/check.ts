import { EventStoreError } from '../../src/errors.ts'
import type { StoreProblem } from '../contract.ts'
import { type Evaluate, type RedisClient, replyText } from './client.ts'
import { INSPECT } from './scripts.ts'

/** Probed keys, to reach every node of a cluster. Misses a node with 1/24 of the slots in 1 of 15 cases. */
const CLUSTER_PROBES = 64

/** One server's INFO, e.g. `maxmemory_policy` → `noeviction`. */
type Told = ReadonlyMap<string, string>

/**
 * @param commands The commands that the store's scripts run.
 * @throws EventStoreError for an invalid reply, and any error of the client.
 */
export async function inspectServers(
  evaluate: Evaluate,
  prefix: string,
  commands: readonly string[],
): Promise<StoreProblem[]> {
  const first = await inspect(evaluate, `${prefix}check`, commands)
  if (first === undefined) {
    return [
      {
        problem: 'the server does not reveal its settings (INFO is forbidden, or lacks maxmemory-policy)',
        fix: 'ask its provider whether maxmemory-policy is noeviction, and what a failover may lose',
      },
    ]
  }
  if (first.get('cluster_enabled') !== '1') return problemsOf(first)
  const probes = Array.from({ length: CLUSTER_PROBES }, (_, probe) =>
    inspect(evaluate, `${prefix}check:${probe}`, commands),
  )
  const nodes = new Map<string, Told>()
  for (const told of await Promise.all(probes)) if (told) nodes.set(told.get('run_id') ?? '', told)
  return [...nodes.values()].flatMap((told) => problemsOf(told, `node ${told.get('tcp_port')}: `))
}

/** Undefined if the server does not reveal its settings. */
async function inspect(
  evaluate: Evaluate,
  key: string,
  commands: readonly string[],
): Promise<Told | undefined> {
  const text = replyText(await evaluate(INSPECT, [key], [...commands]))
  const told = new Map<string, string>()
  for (const [, name = '', value = ''] of text?.matchAll(/^(\w+):([^\r\n]*)/gm) ?? []) told.set(name, value)
  if (told.has('maxmemory_policy')) return told
  if (text === 'refused' || told.size > 0) return undefined
  throw new EventStoreError('the Redis client returned something other than the sections of INFO')
}

function problemsOf(told: Told, where = ''): StoreProblem[] {
  const problems: StoreProblem[] = []
  const policy = told.get('maxmemory_policy')
  if (policy !== 'noeviction' && told.get('maxmemory') !== '0') {
    problems.push({
      problem: `${where}maxmemory-policy is ${policy}: when memory is short, events are evicted, and then accepted again`,
      fix: 'set maxmemory-policy to noeviction: while the server is full, deliveries get a 503, and nothing is forgotten',
    })
  }
  if (told.get('role') === 'slave') {
    problems.push({
      problem: `${where}this is a replica, which cannot store events`,
      fix: 'connect to the primary',
    })
  }
  if (Number(told.get('connected_slaves') ?? 0) > 0 && !told.has('min_slaves_good_slaves')) {
    problems.push({
      problem: `${where}replication is asynchronous: a failover can lose the newest events`,
      fix: 'set min-replicas-to-write to 1, which makes that rarer, or accept that an event may run twice after a failover',
    })
  }
  if (told.get('aof_enabled') === '0') {
    problems.push({
      problem: `${where}appendonly is off: a restart forgets the events since the last snapshot`,
      fix: 'set appendonly to yes',
    })
  }
  return [...problems, ...forbiddenIn(told, where)]
}

function forbiddenIn(told: Told, where: string): StoreProblem[] {
  const commands = [...told.keys()].flatMap((name) => /^forbidden_(\w+)$/.exec(name)?.[1] ?? [])
  if (commands.length === 0) return []
  return [
    {
      problem: `${where}this user may not run ${commands.join(', ')}: deliveries get a 503, or are not recorded as done`,
      fix: `ACL SETUSER … ${commands.map((command) => `+${command.toLowerCase()}`).join(' ')}`,
    },
  ]
}

/** node-redis emits `error` for lost connections, which an EventEmitter without a listener throws. */
export function inspectClient(client: RedisClient): StoreProblem[] {
  const holder = Object(client)
  const isNodeRedis = 'sendCommand' in holder && !('call' in holder) && !('masters' in holder)
  if (!isNodeRedis || holder.listenerCount?.('error') !== 0) return []
  return [
    {
      problem: 'no error listener on the client: a broken connection ends this process',
      fix: "client.on('error', (error) => log(error)), before it connects",
    },
  ]
}
