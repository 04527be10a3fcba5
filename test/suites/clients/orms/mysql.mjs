// ORMs on MariaDB for mysql-orms.test.ts: each one's own handle, what sends statements through it, its transactions, and a read, which
// goes to the replica, if there is one. Knex has none.
import knex from 'knex'
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely'
import { KyselyReplicationDialect } from 'kysely-replication'
import { RoundRobinReplicaStrategy } from 'kysely-replication/strategy/round-robin'
import mysqlCallbacks from 'mysql2'
import { QueryTypes, Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { Drizzle } from './mysql-drizzle.mjs'

export const ORMS = {
  Drizzle,
  Kysely(address, replica) {
    const dialectOf = (at) => new MysqlDialect({ pool: mysqlCallbacks.createPool(at) })
    const db = new Kysely({
      dialect: replica
        ? new KyselyReplicationDialect({
            primaryDialect: dialectOf(address),
            replicaDialects: [dialectOf(replica)],
            replicaStrategy: new RoundRobinReplicaStrategy(),
          })
        : dialectOf(address),
    })
    const executor = (each) => ({
      query: (text, values) => each.executeQuery(CompiledQuery.raw(text, values)),
    })
    return {
      handle: db,
      client: executor(db),
      transaction: (work) => db.transaction().execute((tx) => work(executor(tx))),
      read: () => db.selectFrom('effects').select('event_id').execute(),
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
      read: undefined,
      close: () => db.destroy(),
    }
  },
  async TypeORM(address, replica) {
    const named = ({ user, ...rest }) => ({ username: user, ...rest })
    const replication = replica && {
      replication: { defaultMode: 'slave', master: named(address), slaves: [named(replica)] },
    }
    const source = await new DataSource({ type: 'mysql', ...named(address), ...replication }).initialize()
    return {
      handle: source,
      client: source,
      transaction: (work) => source.transaction((manager) => work(manager)),
      read: () => source.createQueryBuilder().select('event_id').from('effects', 'effects').getRawMany(),
      close: () => source.destroy(),
    }
  },
  Sequelize({ user, database, socketPath }, replica) {
    const of = (path) => ({ username: user, dialectOptions: { socketPath: path } })
    const replication = replica && {
      replication: { write: of(socketPath), read: [of(replica.socketPath)] },
    }
    const db = new Sequelize(database, user, '', {
      dialect: 'mysql',
      logging: false,
      dialectOptions: { socketPath },
      ...replication,
    })
    return {
      handle: db,
      client: { query: (text, values) => db.query(text, { replacements: values }) },
      transaction: (work) =>
        db.transaction((transaction) =>
          work({ query: (text, values) => db.query(text, { replacements: values, transaction }) }),
        ),
      read: () => db.query('SELECT event_id FROM effects', { type: QueryTypes.SELECT }),
      close: () => db.close(),
    }
  },
}
