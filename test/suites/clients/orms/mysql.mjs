// ORMs on MariaDB for mysql-orms.test.ts: each one's own handle, what sends statements through it, and its transactions.
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import knex from 'knex'
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely'
import mysqlCallbacks from 'mysql2'
import mysql from 'mysql2/promise'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'

export const ORMS = {
  Drizzle(address) {
    const pool = mysql.createPool(address)
    const db = drizzle(pool)
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
      close: () => pool.end(),
    }
  },
  Kysely(address) {
    const db = new Kysely({ dialect: new MysqlDialect({ pool: mysqlCallbacks.createPool(address) }) })
    const executor = (each) => ({
      query: (text, values) => each.executeQuery(CompiledQuery.raw(text, values)),
    })
    return {
      handle: db,
      client: executor(db),
      transaction: (work) => db.transaction().execute((tx) => work(executor(tx))),
      close: () => db.destroy(),
    }
  },
  Knex(address) {
    const db = knex({ client: 'mysql2', connection: address })
    const executor = (each) => ({ query: (text, values) => each.raw(text, values) })
    return {
      handle: db,
      client: executor(db),
      transaction: (work) => db.transaction((tx) => work(executor(tx))),
      close: () => db.destroy(),
    }
  },
  async TypeORM({ user, ...address }) {
    const source = await new DataSource({ type: 'mysql', username: user, ...address }).initialize()
    return {
      handle: source,
      client: source,
      transaction: (work) => source.transaction((manager) => work(manager)),
      close: () => source.destroy(),
    }
  },
  Sequelize({ user, database, socketPath }) {
    const db = new Sequelize(database, user, '', {
      dialect: 'mysql',
      logging: false,
      dialectOptions: { socketPath },
    })
    return {
      handle: db,
      client: { query: (text, values) => db.query(text, { replacements: values }) },
      transaction: (work) =>
        db.transaction((transaction) =>
          work({ query: (text, values) => db.query(text, { replacements: values, transaction }) }),
        ),
      close: () => db.close(),
    }
  },
}
