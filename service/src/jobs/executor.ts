import type { Database, Transaction } from '../database/database.ts'

/** What pg-boss asks a database for: statements with values, and scripts of several statements without. */
export interface Executor {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

interface Result {
  readonly rows: unknown[]
}

/** PGlite has a method of its own for scripts; pg decides by the values. */
export function executorOn(client: Database['client'] | Transaction['client']): Executor {
  return {
    async executeSql(text, values = []) {
      if (values.length === 0 && 'exec' in client) return joined(await client.exec(text))
      // Both are `query(text, values)`, but as a union of overloads the compiler sees no call that fits.
      const asking = client as { query(text: string, values: unknown[]): Promise<Result | Result[]> }
      return joined(await asking.query(text, values))
    },
  }
}

function joined(results: Result | readonly Result[]): Result {
  return 'rows' in results ? results : { rows: results.flatMap(({ rows }) => rows) }
}
