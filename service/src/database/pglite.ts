import type { PGlite } from '@electric-sql/pglite'
import type { Database } from './database.ts'
import { storable } from './storable.ts'

/** Postgres inside this process, with one connection. */
export function onPGlite(client: PGlite): Database {
  return {
    client,
    query: async <Row>(text: string, params: readonly unknown[] = []) =>
      (await client.query<Row>(text, storable(params))).rows,
    transaction: (work) =>
      client.transaction((tx) =>
        work({
          client: tx,
          query: async <Row>(text: string, params: readonly unknown[] = []) =>
            (await tx.query<Row>(text, storable(params))).rows,
          script: async (text) => {
            await tx.exec(text)
          },
        }),
      ),
    close: () => client.close(),
  }
}
