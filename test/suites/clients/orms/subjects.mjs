// What the tests need to know of each program: its compiled file, the client or ORM in it, how that begins a transaction and one in it, and
// after which of the latter it leaves the savepoint open.
import { sql } from 'drizzle-orm'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import postgres from 'postgres'
import { QueryTypes } from 'sequelize'

const transaction = (root, work) => root.transaction(work)
const nested = (tx, _root, work) => tx.transaction(work)

/** For a client without nested transactions of its own. */
const savepoint = (run) => async (tx, _root, work) => {
  await run(tx, 'SAVEPOINT nested')
  try {
    const result = await work(tx)
    await run(tx, 'RELEASE SAVEPOINT nested')
    return result
  } catch (error) {
    await run(tx, 'ROLLBACK TO SAVEPOINT nested')
    await run(tx, 'RELEASE SAVEPOINT nested')
    throw error
  }
}

const drizzle = { client: ({ db }) => db, begin: transaction, nested, leavesOpen: 'failed' }
const prisma = {
  client: ({ prisma }) => prisma,
  begin: (root, work) => root.$transaction(work, { timeout: 60_000, maxWait: 60_000 }),
  nested: savepoint((tx, text) => tx.$executeRawUnsafe(text)),
  leavesOpen: 'none',
}

export const SUBJECTS = {
  pg: {
    file: './dist/pg.js',
    client: () => new pg.Pool({ connectionString: process.env.DATABASE_URL }).on('error', console.error),
    async begin(pool, work) {
      const tx = await pool.connect()
      try {
        await tx.query('BEGIN')
        const result = await work(tx)
        await tx.query('COMMIT')
        tx.release()
        return result
      } catch (error) {
        tx.release(true)
        throw error
      }
    },
    nested: savepoint((tx, text) => tx.query(text)),
    leavesOpen: 'none',
  },
  'postgres.js': {
    file: './dist/postgres-js.js',
    client: () => postgres(process.env.DATABASE_URL),
    begin: (root, work) => root.begin(work),
    nested: (tx, _root, work) => tx.savepoint(work),
    leavesOpen: 'all',
  },
  'Prisma 7': { file: './dist/prisma.js', ...prisma },
  'Prisma 6': { file: './prisma6/dist/prisma.js', ...prisma },
  'Drizzle on pg': { file: './dist/drizzle.js', ...drizzle },
  'Drizzle on postgres.js': { file: './dist/drizzle-postgres-js.js', ...drizzle, leavesOpen: 'all' },
  'Drizzle on PGlite': { file: './dist/drizzle-pglite.js', ...drizzle },
  Kysely: {
    file: './dist/kysely.js',
    client: ({ db }) => db,
    async begin(root, work) {
      const tx = await root.startTransaction().execute()
      try {
        const result = await work(tx)
        await tx.commit().execute()
        return result
      } catch (error) {
        await tx.rollback().execute()
        throw error
      }
    },
    async nested(tx, _root, work) {
      const inner = await tx.savepoint('nested').execute()
      try {
        const result = await work(inner)
        await inner.releaseSavepoint('nested').execute()
        return result
      } catch (error) {
        await inner.rollbackToSavepoint('nested').execute()
        await inner.releaseSavepoint('nested').execute()
        throw error
      }
    },
    leavesOpen: 'none',
  },
  TypeORM: {
    file: './dist/typeorm.js',
    client: ({ dataSource }) => dataSource,
    begin: transaction,
    nested,
    leavesOpen: 'failed',
  },
  Knex: { file: './dist/knex.js', client: ({ db }) => db, begin: transaction, nested, leavesOpen: 'failed' },
  MikroORM: {
    file: './dist/mikroorm.js',
    client: ({ orm }) => orm.em,
    begin: (root, work) => root.fork().transactional(work),
    nested: (tx, _root, work) => tx.transactional(work),
    leavesOpen: 'failed',
  },
  Sequelize: {
    file: './dist/sequelize.js',
    client: ({ sequelize }) => sequelize,
    begin: transaction,
    nested: (tx, root, work) => root.transaction({ transaction: tx }, work),
    leavesOpen: 'all',
  },
}

/** The executor whose text an error showed. `names` are the ORM's client and its transaction, as the text calls them. */
export function pasted(text, names) {
  const scope = { sql, CompiledQuery, QueryTypes, ...names }
  return new Function(...Object.keys(scope), `return ${text}`)(...Object.values(scope))
}
