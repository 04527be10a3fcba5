import type { Queryable } from '../database/database.ts'

/** The maximum number of attempts of a step. Their backoff spans over an hour, enough to repair a database or deploy a fix. */
export const MOST_ATTEMPTS = 13

/** A run that this process works on until its lease ends. */
export interface TakenRun {
  readonly id: string
  readonly automationId: string
  /** 1 for the first attempt of its due step. */
  readonly attempt: number
}

/**
 * Automations take turns, in the order of their IDs. Within one, begun runs come first, then the oldest. Goes from one
 * automation to the next by the index `runs_due`, and does not read what waits in between.
 */
const TAKE = `WITH RECURSIVE waiting AS (SELECT $1::text COLLATE "C" AS id UNION ALL
    SELECT (SELECT automation_id FROM runs WHERE finished_at IS NULL AND automation_id > waiting.id
      ORDER BY automation_id, due_at LIMIT 1) FROM waiting WHERE waiting.id IS NOT NULL)
  UPDATE runs SET due_at = now() + greatest($2::float8, 2 ^ attempts) * interval '1 second', attempts = attempts + 1
  WHERE id = (
    SELECT run.id FROM waiting, LATERAL (
      SELECT id FROM runs WHERE finished_at IS NULL AND automation_id = waiting.id AND due_at <= now()
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) AS run
    WHERE waiting.id > $1 AND waiting.id <> ALL ($3) LIMIT 1)
  RETURNING id, automation_id AS "automationId", attempts AS attempt`

/**
 * The unfinished runs as a queue. Hands out one step at a time, and after each the run of another automation, so that
 * one with many or slow runs delays those of the others by no more than a step.
 */
export class RunQueue {
  readonly #database: Queryable
  readonly #leaseSeconds: number
  /** The automation whose turn was last. */
  #last = ''
  #hear = () => {}

  /**
   * @param leaseSeconds How long a taken run is kept from other workers, or as long as `retry` would put it off. After it, the
   * run of a dead process is due.
   */
  constructor(database: Queryable, leaseSeconds = 60) {
    this.#database = database
    this.#leaseSeconds = leaseSeconds
  }

  /**
   * Leases the run whose turn it is, if one is due.
   *
   * @param passed The automations that have no turn.
   */
  async take(passed: readonly string[] = []): Promise<TakenRun | undefined> {
    const last = this.#last
    const run =
      (await this.#takeAfter(last, passed)) ?? (last === '' ? undefined : await this.#takeAfter('', passed))
    this.#last = run?.automationId ?? ''
    return run
  }

  async #takeAfter(automationId: string, passed: readonly string[]): Promise<TakenRun | undefined> {
    const [run] = await this.#database.query<TakenRun>(TAKE, [automationId, this.#leaseSeconds, passed])
    return run
  }

  /** Puts off a failed attempt, for one second at first, then twice as long each time. */
  async retry({ id, attempt }: TakenRun): Promise<void> {
    await this.#database.query(
      `UPDATE runs SET due_at = now() + 2 ^ ($2::int - 1) * interval '1 second'
       WHERE id = $1 AND attempts = $2 AND finished_at IS NULL`,
      [id, attempt],
    )
  }

  /** Wakes this process's worker after the commit of a new run. */
  announce(): void {
    this.#hear()
  }

  onAnnounced(hear: () => void): void {
    this.#hear = hear
  }
}
