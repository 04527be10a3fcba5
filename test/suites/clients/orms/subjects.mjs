// What the tests need to know of each program: its compiled file, the ORM's client in it, and how that begins a transaction.
import { sql } from 'drizzle-orm'
import { drizzle as onPg } from 'drizzle-orm/node-postgres'
import { CompiledQuery } from 'kysely'
import { QueryTypes } from 'sequelize'

const transaction = (root, work) => root.transaction(work)
const nested = (tx, _root, work) => tx.transaction(work)
const drizzle = { client: ({ db }) => db, begin: transaction, nested }
const prisma = { client: ({ prisma }) => prisma, begin: (root, work) => root.$transaction(work) }

export const SUBJECTS = {
  'Prisma 7': { file: './dist/prisma.js', ...prisma },
  'Prisma 6': { file: './prisma6/dist/prisma.js', ...prisma },
  'Drizzle on pg': {
    file: './dist/drizzle.js',
    ...drizzle,
    onConnection: (client, id) => onPg({ client }).execute(sql`INSERT INTO payments VALUES (${id})`),
  },
  'Drizzle on postgres.js': { file: './dist/drizzle-postgres-js.js', ...drizzle },
  'Drizzle on PGlite': { file: './dist/drizzle-pglite.js', ...drizzle },
  Kysely: {
    file: './dist/kysely.js',
    client: ({ db }) => db,
    begin: (root, work) => root.transaction().execute(work),
  },
  TypeORM: { file: './dist/typeorm.js', client: ({ dataSource }) => dataSource, begin: transaction, nested },
  Knex: { file: './dist/knex.js', client: ({ db }) => db, begin: transaction, nested },
  MikroORM: {
    file: './dist/mikroorm.js',
    client: ({ orm }) => orm.em,
    begin: (root, work) => root.fork().transactional(work),
    nested: (tx, _root, work) => tx.transactional(work),
  },
  Sequelize: {
    file: './dist/sequelize.js',
    client: ({ sequelize }) => sequelize,
    begin: transaction,
    nested: (tx, root, work) => root.transaction({ transaction: tx }, work),
  },
}

/** The executor whose text an error showed. `names` are the ORM's client and its transaction, as the text calls them. */
export function pasted(text, names) {
  const scope = { sql, CompiledQuery, QueryTypes, ...names }
  return new Function(...Object.keys(scope), `return ${text}`)(...Object.values(scope))
}
