/** How many times as often as in CI the tests kill: HOOKGATE_KILLS of `npm run test:kills`. */
export const KILL_TIMES: number = Number(process.env.HOOKGATE_KILLS ?? 1)

/**
 * The processes of stores that are killed, in CI: `parts` of a test, of which each kills `each` times. Each part begins at the step at
 * which the one before it has ended, so that all of them together kill at every step, in every way.
 */
export const STORE_KILLS = {
  redis: { parts: 2, each: 2 },
  postgres: { parts: 5, each: 1 },
  mysql: { parts: 3, each: 1 },
  dynamodb: { parts: 1, each: 2 },
  sqlite: { parts: 3, each: 1 },
  orms: { parts: 10, each: 1 },
} as const

/** Whatever else is killed, in CI. */
export const OTHER_KILLS = {
  /** The gateway and its app, at each of three moments. */
  gateway: 6,
  /** Of each of the inbox's two kinds of `done`: processes, and Postgres. */
  inboxProcesses: 3,
  inboxPostgres: 1,
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
  const rows = Object.entries(STORE_KILLS)
  const before = rows.slice(0, Object.keys(STORE_KILLS).indexOf(store))
  const { each } = STORE_KILLS[store]
  const firstKill = before.reduce((sum, [, { parts, each }]) => sum + parts * each, 0) + part * each
  return { kills: each * KILL_TIMES, firstKill }
}
