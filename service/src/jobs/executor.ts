import type { Database, Transaction } from '../database/database.ts'
import { prepared } from '../database/postgres.ts'

/** The database interface of pg-boss: statements with values, and scripts without. */
export interface Executor {
  executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
}

interface Result {
  readonly rows: unknown[]
}

/** PGlite has a separate method for scripts. With pg, statements with values are prepared. */
export function executorOn(client: Database['client'] | Transaction['client']): Executor {
  return {
    async executeSql(text, values = []) {
      if ('exec' in client)
        return joined(await (values.length > 0 ? client.query(text, values) : client.exec(text)))
      return joined(await (values.length > 0 ? client.query(prepared(text, values)) : client.query(text)))
    },
  }
}

function joined(results: Result | readonly Result[]): Result {
  return 'rows' in results ? results : { rows: results.flatMap(({ rows }) => rows) }
}
