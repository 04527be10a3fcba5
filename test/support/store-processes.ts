import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StoreProcess, type SubjectChoice, withProcesses } from './store-process.ts'

// Real processes against one durable store. A subject is `test/stores/subjects/<name>.mjs`, which Node 20 has to be able
// to run; it imports the built package by its name (`hookgate/stores/redis`) and exports
//
//   async function open(config): {
//     store, close(),
//     effect?(eventId),      does the event's work, countably (INSERT, INCR)
//     effects?(eventId),     how often that was
//     attempt?({ key, owner, leaseMs, retentionMs }, step),   instead of claim → effect → commit; calls step(name) with
//   }                        the names below, and answers `acquired` when it ran, else what claim answered

const RETENTION_MS = 3_600_000

export interface RaceOptions extends SubjectChoice {
  readonly processes: number
  readonly rounds: number
  /** Claims of one event in one round, over all processes: a multiple of `processes`. */
  readonly deliveries: number
  readonly onRound?: ((round: number, acceptances: number) => void) | undefined
}

/**
 * In each round, all processes claim one event at once, each delivery as its own owner. The process that got it commits it,
 * and another one reads it back. Resolves to the number of acceptances per round, which must be 1.
 *
 * @throws when a claim fails, or answers anything but `acquired` and `busy`, or when the other process does not find
 *   the event done.
 */
export function raceProcesses(options: RaceOptions): Promise<number[]> {
  const { processes, rounds, deliveries, onRound } = options
  return withProcesses(options, async (start) => {
    const racers = await Promise.all(Array.from({ length: processes }, start))
    const acceptances: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      acceptances.push(await raceOnce(racers, deliveries))
      onRound?.(round, acceptances.at(-1) ?? 0)
    }
    return acceptances
  })
}

async function raceOnce(racers: readonly StoreProcess[], deliveries: number): Promise<number> {
  const key = { listenerId: 'race', eventId: randomUUID() }
  const each = Math.floor(deliveries / racers.length)
  const answers = await Promise.all(
    racers.map((racer, number) => {
      const owners = Array.from({ length: each }, (_, delivery) => `racer ${number} ${delivery}`)
      return racer.ask('race', { key, owners, leaseMs: 60_000 })
    }),
  )
  // The answers of a process's claims, in the order of their owners.
  const claims = answers as readonly (readonly string[])[]
  const flat = claims.flat()
  const wrong = flat.filter((answer) => answer !== 'acquired' && answer !== 'busy')
  if (wrong.length > 0) throw new Error(`a race was answered ${JSON.stringify(wrong[0])}`)
  if (flat.length !== each * racers.length) throw new Error(`only ${flat.length} claims were answered`)
  const acceptances = flat.filter((answer) => answer === 'acquired').length
  if (acceptances === 1) await commitAndReadBack(racers, claims, key)
  return acceptances
}

async function commitAndReadBack(
  racers: readonly StoreProcess[],
  claims: readonly (readonly string[])[],
  key: object,
): Promise<void> {
  const winner = claims.findIndex((own) => own.includes('acquired'))
  const owner = `racer ${winner} ${claims[winner]?.indexOf('acquired')}`
  const answer = await racers[winner]?.ask('commit', { key, owner, retentionMs: RETENTION_MS })
  const reader = racers[(winner + 1) % racers.length]
  const [read] = [await reader?.ask('read', { keys: [key] })].flat()
  if (answer === 'committed' && read === 'done') return
  throw new Error(`a commit was answered ${answer}, and another process read it back as ${read}`)
}

export interface RenewalOptions extends SubjectChoice {
  readonly processes: number
  readonly rounds: number
  /** Of the claim that is then renewed. Short, because each round waits for it. Default 40. */
  readonly leaseMs?: number | undefined
}

export interface RenewalCounts {
  /** Events whose first owner kept them, by a renewal just before the end of the lease. */
  renewed: number
  /** Events that another process took over, just after the end of the lease. */
  taken: number
  /** Events that ended with more than one owner, or not with a commit of their owner that another process read. Must be 0. */
  wrong: number
}

/** Events of one round, each with an owner of its own process. */
const RENEWED_AT_ONCE = 8
/** When a renewal is sent, in leases: mostly before the end, because it takes a while. */
const [EARLIEST, LATEST] = [0.75, 1.05]

/**
 * In each round, some owners renew their leases at about the time when these lapse, while all other processes claim the same events
 * again and again. Whoever then has an event commits it, and another process reads it back.
 */
export function raceRenewals(options: RenewalOptions): Promise<RenewalCounts> {
  const { processes, rounds, leaseMs = 40 } = options
  return withProcesses(options, async (start) => {
    const racers = await Promise.all(Array.from({ length: processes }, start))
    const counts: RenewalCounts = { renewed: 0, taken: 0, wrong: 0 }
    for (let round = 0; round < rounds; round += 1) {
      const lanes = Array.from({ length: RENEWED_AT_ONCE }, (_, lane) => {
        const part = ((round * RENEWED_AT_ONCE + lane) * 0.61803) % 1
        const turned = racers.map((_, number) => racers[(number + lane) % processes])
        return renewOnce(turned, leaseMs, leaseMs * (EARLIEST + part * (LATEST - EARLIEST)))
      })
      for (const outcome of await Promise.all(lanes)) counts[outcome] += 1
    }
    return counts
  })
}

async function renewOnce(
  [holder, ...others]: readonly (StoreProcess | undefined)[],
  leaseMs: number,
  afterMs: number,
): Promise<keyof RenewalCounts> {
  const key = { listenerId: 'renew', eventId: randomUUID() }
  const long = { key, leaseMs: 60_000 }
  if ((await holder?.ask('claim', { key, owner: 'holder', leaseMs })) !== 'acquired') return 'wrong'
  const [renewed, ...winners] = await Promise.all([
    holder?.ask('renewAfter', { ...long, owner: 'holder', afterMs }),
    ...others.map((other, number) =>
      other?.ask('contend', { ...long, name: `${number}`, forMs: leaseMs + 30 }),
    ),
  ])
  const owners = [renewed ? 'holder' : null, ...winners].filter((owner) => owner !== null)
  if (owners.length === 0) {
    const late = await others[0]?.ask('claim', { ...long, owner: '0' }) // the claims ended too early
    if (late === 'acquired') owners.push('0')
  }
  const [owner = 'nobody'] = owners
  const [winner, reader] = owner === 'holder' ? [holder, others[0]] : [others[Number(owner)], holder]
  const committed = await winner?.ask('commit', { key, owner, retentionMs: RETENTION_MS })
  const [read] = [await reader?.ask('read', { keys: [key] })].flat()
  if (owners.length !== 1 || committed !== 'committed' || read !== 'done') return 'wrong'
  return owner === 'holder' ? 'renewed' : 'taken'
}

/** Commits of one process that another one then reads back. */
const COMMIT_BATCH = 500

export interface CommitOptions extends SubjectChoice {
  readonly processes: number
  /** Events that each process claims and commits, all of its own. A multiple of 500. */
  readonly events: number
  /** How many of them at a time. Default 3. */
  readonly lanes?: number | undefined
}

export interface CommitCounts {
  /** Commits that were answered `committed`. */
  committed: number
  /** Those that another process did not find done. Must be 0. */
  forgotten: number
  /** Events whose claim or commit failed. */
  undecided: number
}

/**
 * Lets all processes claim and commit at the same time, so that they get into each other's way. What is answered `committed` is
 * read back from another process while they go on.
 */
export function commitInProcesses(options: CommitOptions): Promise<CommitCounts> {
  const { processes, events, lanes = 3 } = options
  return withProcesses(options, async (start) => {
    const workers = await Promise.all(Array.from({ length: processes }, start))
    const counts: CommitCounts = { committed: 0, forgotten: 0, undecided: 0 }
    await Promise.all(
      workers.map(async (worker, number) => {
        for (let done = 0; done < events; done += COMMIT_BATCH) {
          const keys = Array.from({ length: COMMIT_BATCH }, () => ({
            listenerId: 'commit',
            eventId: randomUUID(),
          }))
          const request = { keys, lanes, leaseMs: 60_000, retentionMs: RETENTION_MS }
          const answers = [await worker.ask('handle', request)].flat()
          const committed = keys.filter((_, index) => answers[index] === 'committed')
          const reader = workers[(number + 1) % processes]
          const read = [await reader?.ask('read', { keys: committed })].flat()
          counts.committed += committed.length
          counts.undecided += answers.filter((answer) => answer !== 'committed').length
          counts.forgotten += read.filter((answer) => answer !== 'done').length
        }
      }),
    )
    return counts
  })
}

/** Where a process is killed, in the order of the steps. */
export const KILL_STEPS = [
  'started',
  'claim sent',
  'claim answered',
  'renewal sent',
  'renewal answered',
  'effect sent',
  'effect answered',
  'commit sent',
  'commit answered',
]

/** As in `store-worker.mjs`. */
const RENEWED_LEASES = 2

export interface KillOptions extends SubjectChoice {
  readonly kills: number
  /** The number of the first kill, which chooses its step: three kills per step. Default 0. */
  readonly firstKill?: number | undefined
  /** The lease of a killed process's claim. Short, because each kill may wait for it. */
  readonly leaseMs: number
  /** Kills in parallel. Default 4. */
  readonly lanes?: number | undefined
  readonly onKill?: ((kill: number) => void) | undefined
}

export interface KillCounts {
  kills: number
  /** Uncommitted events that no retry could acquire, or whose effect never happened. */
  lost: number
  /** Events that ran again after their commit was answered. */
  runTwiceAfterCommit: number
  /** Events that were taken over before their lease could end. */
  takenEarly: number
  /** Events whose effect happened more than once. Right for `at least once`, wrong inside one transaction. */
  effectRepeated: number
  /** The last step that each killed process reported. */
  lastSteps: { [step: string]: number }
}

/**
 * Kills a process at each step between claim and answer, in three ways: by itself at once, by itself when its output
 * has left, and from outside just after the report. Then another process retries the delivery until it gets `acquired`
 * or `done`. `lost`, `runTwiceAfterCommit` and `takenEarly` must be 0.
 */
export function killDuring(options: KillOptions): Promise<KillCounts> {
  const { kills, firstKill = 0, lanes = 4, onKill } = options
  return withProcesses(options, async (start) => {
    const counts: KillCounts = {
      kills: 0,
      lost: 0,
      runTwiceAfterCommit: 0,
      takenEarly: 0,
      effectRepeated: 0,
      lastSteps: {},
    }
    const survivor = await start()
    let next = firstKill
    const lane = async () => {
      while (next < firstKill + kills) {
        const kill = next
        next += 1
        const run = await killOnce(kill, start, options.leaseMs)
        await judge(run, survivor, options.leaseMs, counts)
        onKill?.(kill)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    return counts
  })
}

interface KilledRun {
  readonly key: { readonly listenerId: string; readonly eventId: string }
  readonly steps: readonly string[]
  /** Every claim of this run was made after this time, in milliseconds on this process's clock. */
  readonly claimedAfter: number
}

async function killOnce(
  kill: number,
  start: () => Promise<StoreProcess>,
  leaseMs: number,
): Promise<KilledRun> {
  const victim = await start()
  const dieAt = KILL_STEPS[Math.floor(kill / 3) % KILL_STEPS.length]
  const key = { listenerId: 'kill', eventId: randomUUID() }
  const request = { key, owner: `victim ${kill}`, leaseMs, retentionMs: RETENTION_MS }
  const claimedAfter = performance.now()
  if (kill % 3 === 2) {
    victim.onStep = (step) => {
      if (step === dieAt) setTimeout(() => void victim.kill(), (kill * 0.37) % 4)
    }
    await victim.ask('attempt', request).catch(() => {})
  } else {
    await victim.ask('attempt', { ...request, dieAt, dieLater: kill % 3 === 1 }).catch(() => {})
  }
  await victim.kill()
  return { key, steps: victim.steps, claimedAfter }
}

async function judge(run: KilledRun, survivor: StoreProcess, leaseMs: number, counts: KillCounts) {
  const { key, steps, claimedAfter } = run
  const answer = await retry(key, survivor, leaseMs)
  const retriedAt = performance.now()
  const effects = await survivor.ask('effects', { eventId: key.eventId })
  const lastStep = steps.at(-1) ?? 'none'
  const claimed = steps.includes('claim answered')
  counts.kills += 1
  counts.lastSteps[lastStep] = (counts.lastSteps[lastStep] ?? 0) + 1
  const nobodyRanIt = answer === 'done' && !claimed
  if (answer === 'busy' || nobodyRanIt || effects === 0) counts.lost += 1
  if (Number(effects) > 1) counts.effectRepeated += 1
  if (answer !== 'acquired') return
  if (steps.includes('commit answered')) counts.runTwiceAfterCommit += 1
  const heldMs = steps.includes('renewal answered') ? RENEWED_LEASES * leaseMs : leaseMs
  if (claimed && retriedAt < claimedAfter + heldMs) counts.takenEarly += 1
}

/** `acquired` or `done`. `busy` only if the event was still held long after its lease. */
async function retry(key: KilledRun['key'], survivor: StoreProcess, leaseMs: number): Promise<unknown> {
  const until = performance.now() + leaseMs + 10_000
  for (let turn = 0; ; turn += 1) {
    const owner = `retry ${turn}`
    const isOverdue = performance.now() > until
    const answer = await survivor.ask('attempt', { key, owner, leaseMs, retentionMs: RETENTION_MS })
    if (answer === 'acquired' || answer === 'done') return answer
    if (isOverdue) return 'busy'
    await sleep(20)
  }
}
