export type SqlValue = string | number | null

/** The part of `ctx.storage.sql` of a Durable Object that is used. */
export interface ObjectSql {
  exec(sql: string, ...values: SqlValue[]): { toArray(): { readonly [column: string]: unknown }[] }
}

export interface EventRecord {
  /** Null after a commit. */
  readonly owner: string | null
  readonly done: boolean
  /** In Unix milliseconds. */
  readonly expiresAt: number
}

/** Rows per slice of a sweep: a few milliseconds of work. */
const SLICE_ROWS = 10_000

// No index on expires_at: it would double the rows written, which Cloudflare bills.
const TABLE = `CREATE TABLE IF NOT EXISTS events (
  event_id TEXT PRIMARY KEY,
  owner TEXT,
  done INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID`

/** The events of one object. Synchronous, so that no other request runs between two calls. */
export class EventRecords {
  readonly #sql: ObjectSql
  #hasTable = false
  /** The sweep's cursor: the last event it visited. */
  #sweptTo = ''

  constructor(sql: ObjectSql) {
    this.#sql = sql
  }

  /** Undefined if absent or expired. */
  live(eventId: string, now: number): EventRecord | undefined {
    const [row] = this.#rows('SELECT owner, done, expires_at FROM events WHERE event_id = ?', eventId)
    if (row === undefined || Number(row.expires_at) < now) return undefined
    const owner = row.owner === null ? null : String(row.owner)
    return { owner, done: row.done === 1, expiresAt: Number(row.expires_at) }
  }

  put(eventId: string, { owner, done, expiresAt }: EventRecord): void {
    const values = [eventId, owner, done ? 1 : 0, expiresAt]
    this.#rows(
      `INSERT INTO events (event_id, owner, done, expires_at) VALUES (?, ?, ?, ?)
ON CONFLICT (event_id) DO UPDATE SET owner = excluded.owner, done = excluded.done, expires_at = excluded.expires_at`,
      ...values,
    )
  }

  delete(eventId: string): void {
    this.#rows('DELETE FROM events WHERE event_id = ?', eventId)
  }

  /** Visits the next rows in ID order, and deletes the expired ones. Returns false at the end of a round. */
  sweepSlice(now: number): boolean {
    const from = this.#sweptTo
    const [slice] = this.#rows(
      `SELECT count(*) AS seen, max(event_id) AS last FROM
(SELECT event_id FROM events WHERE event_id > ? ORDER BY event_id LIMIT ${SLICE_ROWS})`,
      from,
    )
    const last = String(slice?.last)
    this.#rows('DELETE FROM events WHERE event_id > ? AND event_id <= ? AND expires_at < ?', from, last, now)
    const isMore = slice?.seen === SLICE_ROWS
    this.#sweptTo = isMore ? last : ''
    return isMore
  }

  isEmpty(): boolean {
    return this.#rows('SELECT 1 FROM events LIMIT 1').length === 0
  }

  /** Call after the object's storage is deleted. */
  forgetTable(): void {
    this.#hasTable = false
  }

  #rows(sql: string, ...values: SqlValue[]): { readonly [column: string]: unknown }[] {
    if (!this.#hasTable) this.#sql.exec(TABLE)
    this.#hasTable = true
    return this.#sql.exec(sql, ...values).toArray()
  }
}
