// ORMs whose plugins change what the server answers, for changed-answers.test.ts. `refused`: what came back, where hookgate refuses it.
import { MikroORM } from '@mikro-orm/postgresql'
import { PrismaPg } from '@prisma/adapter-pg'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzle as onPostgresJs } from 'drizzle-orm/postgres-js'
import knex from 'knex'
import { CamelCasePlugin, CompiledQuery, Kysely, ParseJSONResultsPlugin, PostgresDialect } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { QueryTypes, Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'
import { PrismaClient } from './dist/generated/prisma/client.js'

const camel = (name) => name.replace(/_+([a-z])/g, (_, letter) => letter.toUpperCase())
const renamed = (row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [`${camel(name)}X`, value]))

const questionMarks = (send) => (text, values) =>
  send(
    text.replace(/\$\d+/g, '?'),
    [...text.matchAll(/\$(\d+)/g)].map(([, n]) => values[Number(n) - 1]),
  )

function ofKysely(...plugins) {
  return (connectionString) => {
    const db = new Kysely({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }),
      plugins,
    })
    const executor = (each) => ({
      query: (text, values) => each.executeQuery(CompiledQuery.raw(text, values)),
    })
    return {
      client: executor(db),
      transaction: (work) => db.transaction().execute((tx) => work(executor(tx))),
      close: () => db.destroy(),
    }
  }
}

/** A plugin of an app: it changes each value. */
const valuesPlugin = (change) => ({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => ({
    ...result,
    rows: result.rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)])),
    ),
  }),
})

function ofKnex(postProcessResponse, pick = (result) => result) {
  return (connection) => {
    const db = knex({ client: 'pg', connection, pool: { min: 0, max: 10 }, postProcessResponse })
    const executor = (each) => ({
      query: questionMarks(async (text, values) => pick(await each.raw(text, values))),
    })
    return {
      client: executor(db),
      transaction: (work) => db.transaction((tx) => work(executor(tx))),
      close: () => db.destroy(),
    }
  }
}

function ofSequelize(options) {
  return (url) => {
    const db = new Sequelize(url, { logging: false })
    const executor = (transaction = null) => ({
      query: (text, values) => db.query(text, { bind: values, transaction, ...options }),
    })
    return {
      client: executor(),
      transaction: (work) => db.transaction((tx) => work(executor(tx))),
      close: () => db.close(),
    }
  }
}

const drizzled = (each) => ({
  query: (text, values) =>
    each.execute(
      sql.join(
        text.split(/\$(\d+)/).map((part, n) => (n % 2 ? sql`${values[Number(part) - 1]}` : sql.raw(part))),
      ),
    ),
})

function ofPrisma(extend) {
  return (connectionString) => {
    const root = new PrismaClient({ adapter: new PrismaPg({ connectionString, max: 10 }) })
    const db = extend(root)
    const executor = (each) => ({ query: (text, values) => each.$queryRawUnsafe(text, ...values) })
    return {
      client: executor(db),
      transaction: (work) =>
        db.$transaction((tx) => work(executor(tx)), { timeout: 60_000, maxWait: 30_000 }),
      close: () => root.$disconnect(),
    }
  }
}

function ofMikro(method) {
  return async (clientUrl) => {
    const orm = await MikroORM.init({
      clientUrl,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      pool: { min: 0, max: 10 },
    })
    const executor = (em) => ({
      query: questionMarks((text, values) =>
        em.getConnection().execute(text, values, method, em.getTransactionContext()),
      ),
    })
    return {
      client: executor(orm.em),
      transaction: (work) => orm.em.fork().transactional((em) => work(executor(em))),
      close: () => orm.close(true),
    }
  }
}

export const ORMS = {
  'Kysely with CamelCasePlugin and ParseJSONResultsPlugin': {
    open: ofKysely(new CamelCasePlugin(), new ParseJSONResultsPlugin()),
  },
  'Kysely with CamelCasePlugin in upper case': { open: ofKysely(new CamelCasePlugin({ upperCase: true })) },
  'Kysely with a plugin that makes null of each value': {
    open: ofKysely(valuesPlugin(() => null)),
    refused: 'null',
  },
  'Kysely with a plugin that trims': {
    open: ofKysely(valuesPlugin((value) => `${value}`.slice(0, -1))),
    refused: 'a text of another length',
  },
  'Kysely with a plugin that makes dates': {
    open: ofKysely(valuesPlugin((value) => new Date(value))),
    refused: 'Date',
  },
  'Knex with postProcessResponse that renames': {
    open: ofKnex((result) => ({ ...result, rows: result.rows?.map(renamed) })),
  },
  'Knex with postProcessResponse that returns the rows': { open: ofKnex((result) => result.rows ?? result) },
  'Knex with postProcessResponse that adds a column': {
    open: ofKnex((result) => ({ rows: result.rows?.map((row) => ({ ...row, id: 1 })) })),
    refused: 'a row of 2 columns',
  },
  'Knex with postProcessResponse that returns the first row': {
    open: ofKnex((result) => result.rows?.[0] ?? result),
    refused: 'Object, which has no rows',
  },
  'Sequelize without a type': { open: ofSequelize({}) },
  'Sequelize with SELECT': { open: ofSequelize({ type: QueryTypes.SELECT }) },
  'Sequelize with plain': {
    open: ofSequelize({ type: QueryTypes.SELECT, plain: true }),
    refused: 'Object, which has no rows',
  },
  'Sequelize with UPDATE': { open: ofSequelize({ type: QueryTypes.UPDATE }) },
  'Drizzle on pg': {
    open(connectionString) {
      const pool = new pg.Pool({ connectionString })
      const db = drizzle({ client: pool, casing: 'camelCase' })
      return {
        client: drizzled(db),
        transaction: (work) => db.transaction((tx) => work(drizzled(tx))),
        close: () => pool.end(),
      }
    },
  },
  'Drizzle on postgres.js with a transform': {
    open(url) {
      const client = postgres(url, { transform: postgres.pascal, onnotice: () => {} })
      const db = onPostgresJs({ client })
      return {
        client: drizzled(db),
        transaction: (work) => db.transaction((tx) => work(drizzled(tx))),
        close: () => client.end(),
      }
    },
  },
  Prisma: { open: ofPrisma((root) => root) },
  'Prisma with an extension that counts': {
    open: ofPrisma((root) =>
      root.$extends({ query: { $queryRawUnsafe: async ({ args, query }) => (await query(args)).length } }),
    ),
    refused: 'Number, which has no rows',
  },
  TypeORM: {
    async open(url) {
      const source = await new DataSource({ type: 'postgres', url, poolSize: 10 }).initialize()
      return {
        client: source,
        transaction: (work) => source.transaction((manager) => work(manager)),
        close: () => source.destroy(),
      }
    },
  },
  'MikroORM with all rows': { open: ofMikro('all') },
  'MikroORM with one row': { open: ofMikro('get'), refused: 'Object, which has no rows' },
}
