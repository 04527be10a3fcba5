/** How many times as often as in CI the tests kill: HOOKGATE_KILLS of `npm run test:kills`. */
export const KILL_TIMES: number = Number(process.env.HOOKGATE_KILLS ?? 1)

/**
 * The processes of stores that are killed, in CI, by each part of a test. Each part begins at the step at which the one before it has
 * ended, so that all of them together kill at every step, in every way.
 */
export const STORE_KILLS = {
  redis: [2, 2],
  postgres: [3, 3],
  /** Two of them in transactions, of mysql2 and of Drizzle. */
  mysql: [2, 5, 5],
  dynamodb: [2],
  sqlite: [1, 1, 1],
  /** pg, postgres.js, Prisma and Drizzle. */
  orms: [5, 5, 5, 5],
} as const satisfies Readonly<Record<string, readonly number[]>>

/** Whatever else is killed, in CI. */
export const OTHER_KILLS = {
  /** The gateway and its app, at each of three moments. */
  gateway: 6,
  /** Of each of the inbox's two kinds of `done`: processes, and Postgres. */
  inboxProcesses: 3,
  inboxPostgres: 1,
  /** Drains, of each of these two kinds. */
  inboxDrains: 3,
  /** Workers of jobs with keys. */
  inboxOrder: 1,
  /** Receivers of `entityVersions`, on Postgres and on PGlite. */
  versions: 1,
  versionsOnPglite: 1,
  /** The receiver of hookgate's sender. */
  sender: 1,
  /** The receiver of each queue, at one of three moments, in turn. */
  queues: 7,
  /** The receiver of Cloudflare Queues, at each of three moments. */
  cloudflareQueues: 3,
  /** workerd, with Durable Objects and D1: after each of four steps. */
  workerd: 4,
  /** Recoveries by a sender's API, into each of three targets. */
  recoveries: 1,
  /** The service, on PGlite and on Postgres. */
  service: 1,
  serviceOnPostgres: 1,
} as const

export function killsOf(test: keyof typeof OTHER_KILLS): number {
  return OTHER_KILLS[test] * KILL_TIMES
}

/** For `killDuring`. */
export function storeKills(
  store: keyof typeof STORE_KILLS,
  part = 0,
): { readonly kills: number; readonly firstKill: number } {
  const parts: readonly number[] = STORE_KILLS[store]
  const stores = Object.values<readonly number[]>(STORE_KILLS)
  const before = stores.slice(0, Object.keys(STORE_KILLS).indexOf(store)).flat()
  const firstKill = sumOf([...before, ...parts.slice(0, part)])
  return { kills: (parts[part] ?? 0) * KILL_TIMES, firstKill }
}

export const sumOf = (kills: readonly number[]): number => kills.reduce((sum, each) => sum + each, 0)
