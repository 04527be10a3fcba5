import type { PGlite, Transaction as PGliteTransaction } from '@electric-sql/pglite'
import type { Pool, PoolClient } from 'pg'

export interface Queryable {
  /**
   * Runs one statement. Pass `jsonb` values as `JSON.stringify(…)` with `::jsonb`, and select `bigint` with `::text`,
   * so that both engines agree.
   */
  query<Row>(text: string, params?: readonly unknown[]): Promise<Row[]>
}

export interface Transaction extends Queryable {
  /** The client of this transaction, for `event.commit(tx.client)`. */
  readonly client: PoolClient | PGliteTransaction
  /** Runs a script of statements without parameters. */
  script(text: string): Promise<void>
}

export interface Database extends Queryable {
  /** The client for `postgresStore(…)`. */
  readonly client: Pool | PGlite
  /**
   * Runs `work` in one transaction. Use only `tx` inside. PGlite has one connection, so a statement to the database
   * itself would deadlock.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  close(): Promise<void>
}
