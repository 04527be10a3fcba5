// The schema tools of the ORMs, for schema-tools.test.ts: each one brings the database at `url` to what the app's models name.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { MikroORM, EntitySchema as MikroSchema } from '@mikro-orm/postgresql'
import knex from 'knex'
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import pg from 'pg'
import { DataTypes, Sequelize } from 'sequelize'
import { DataSource, EntitySchema } from 'typeorm'

const run = promisify(execFile)
const at = (folder) => fileURLToPath(new URL(folder, import.meta.url))

const typeorm = async (url, settings) => {
  const id = { type: 'varchar', length: 36, primary: true }
  const entities = [new EntitySchema({ name: 'payments', columns: { id } })]
  const type = new URL(url).protocol === 'mysql:' ? 'mysql' : 'postgres'
  const source = await new DataSource({ type, url, entities, synchronize: true, ...settings }).initialize()
  await source.destroy()
}

const sequelize = async (url, settings) => {
  const db = new Sequelize(url, { logging: false })
  const id = { type: DataTypes.STRING(36), primaryKey: true }
  db.define('Payment', { id }, { tableName: 'payments', timestamps: false })
  await db.sync(settings)
  await db.close()
}

const drizzlePush = (dialect) => (url, settings) =>
  run(
    process.execPath,
    ['node_modules/drizzle-kit/bin.cjs', 'push', '--force', '--config', 'drizzle-kit.config.mjs'],
    {
      cwd: at('.'),
      env: { ...process.env, DIALECT: dialect, DATABASE_URL: url, SETTINGS: JSON.stringify(settings) },
    },
  )

/** A timer of the engine holds the process for minutes after its work. */
async function prismaPush(url) {
  const args = ['db', 'push', '--accept-data-loss', '--skip-generate', '--config', 'push.config.mjs']
  const none = { PRISMA_QUERY_ENGINE_LIBRARY: '/bin/true', PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }
  const push = spawn(process.execPath, ['node_modules/prisma/build/index.js', ...args], {
    cwd: at('prisma6'),
    env: { ...process.env, ...none, DATABASE_URL: url, CHECKPOINT_DISABLE: '1' },
  })
  let said = ''
  for (const output of [push.stdout, push.stderr]) {
    output.on('data', (chunk) => {
      said += chunk
      if (said.includes('now in sync')) push.kill()
    })
  }
  await once(push, 'close')
  if (!said.includes('now in sync')) throw new Error(said)
}

const addColumn = (schema) => schema.alterTable('payments', (table) => table.text('note'))

export const POSTGRES = {
  'drizzle-kit push --force': drizzlePush('postgresql'),
  'prisma db push --accept-data-loss': prismaPush,
  async "MikroORM's schema:update"(url, schemaGenerator) {
    const properties = { id: { type: 'text', primary: true } }
    const payment = new MikroSchema({ name: 'Payment', tableName: 'payments', properties })
    const orm = await MikroORM.init({ clientUrl: url, entities: [payment], schemaGenerator })
    await orm.schema.updateSchema()
    await orm.close()
  },
  "TypeORM's synchronize": typeorm,
  "Sequelize's sync()": sequelize,
  async "Knex's migrations"(url) {
    const migration = {
      up: ({ schema }) => addColumn(schema),
      down: ({ schema }) => schema.alterTable('payments', (table) => table.dropColumn('note')),
    }
    const migrationSource = {
      getMigrations: async () => ['note'],
      getMigrationName: (name) => name,
      getMigration: async () => migration,
    }
    const db = knex({ client: 'pg', connection: url, migrations: { migrationSource } })
    await db.migrate.latest()
    await db.migrate.rollback()
    await db.destroy()
  },
  async "Kysely's migrations"(url) {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
    const note = {
      up: ({ schema }) => schema.alterTable('payments').addColumn('note', 'text').execute(),
      down: ({ schema }) => schema.alterTable('payments').dropColumn('note').execute(),
    }
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ note }) } })
    for (const migrate of ['migrateToLatest', 'migrateDown']) {
      const { error } = await migrator[migrate]()
      if (error) throw error
    }
    await db.destroy()
  },
}

export const MARIADB = {
  'drizzle-kit push --force': drizzlePush('mysql'),
  "TypeORM's synchronize": typeorm,
  "Sequelize's sync()": sequelize,
}
