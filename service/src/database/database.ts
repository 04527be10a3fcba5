import type { PGlite, Transaction as PGliteTransaction } from '@electric-sql/pglite'
import type { Pool, PoolClient } from 'pg'

export interface Queryable {
  /**
   * Runs one statement. Values of `jsonb` go in as `JSON.stringify(…)` with `::jsonb`, `bigint` comes out by `::text`:
   * both engines then agree.
   */
  query<Row>(text: string, params?: readonly unknown[]): Promise<Row[]>
}

export interface Transaction extends Queryable {
  /** What runs the statements, for `postgresStore(…).with(tx.client)`. */
  readonly client: PoolClient | PGliteTransaction
  /** Runs several statements at once, without parameters. */
  script(text: string): Promise<void>
}

export interface Database extends Queryable {
  /** What `postgresStore(…)` takes. */
  readonly client: Pool | PGlite
  /**
   * Runs the work in one transaction: all of it is there, or nothing. Inside, ask `tx` only: PGlite has one connection,
   * and a statement to the database itself would wait for the transaction to end.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs the work while no other process does so on this database; the others wait. For set-up that spans several
   * transactions. Unlike inside `transaction`, ask the database itself.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}
