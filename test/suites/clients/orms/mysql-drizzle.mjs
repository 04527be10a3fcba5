// Drizzle on MariaDB, for mysql.mjs, and alone for a process that is killed: it starts faster.
import { sql } from 'drizzle-orm'
import { withReplicas } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'

export function Drizzle(address, replica) {
  const pools = [address, replica ?? address].map((at) => mysql.createPool(at))
  const [primary, other] = pools.map((pool) => drizzle(pool))
  const db = replica ? withReplicas(primary, [other]) : primary
  const executor = (each) => ({
    query: (text, values) =>
      each.execute(
        sql.join(
          text
            .split('?')
            .flatMap((part, n) => (n ? [sql.param(values[n - 1]), sql.raw(part)] : sql.raw(part))),
        ),
      ),
  })
  return {
    handle: db,
    client: executor(db),
    transaction: (work) => db.transaction((tx) => work(executor(tx))),
    read: () => db.select({ id: sql`event_id` }).from(sql`effects`),
    close: () => Promise.all(pools.map((pool) => pool.end())),
  }
}
