import { ListenerConfigError } from '../errors.ts'
import { memberOf } from '../lib/member-of.ts'
import { hasMethod } from '../lib/options.ts'

/** The ORMs and query builders that are told by their shape, whatever their database. */
export type Orm =
  | 'Prisma'
  | 'Drizzle'
  | 'Kysely'
  | 'TypeORM'
  | 'Knex'
  | 'MikroORM'
  | 'Sequelize'
  | "Sequelize's transaction"

/** Methods that only this ORM's client or transaction has. In this order: MikroORM has methods of Drizzle, too. */
const SHAPES: readonly (readonly [orm: Orm, ...methods: string[]])[] = [
  ['Prisma', '$queryRawUnsafe'],
  ['MikroORM', 'getTransactionContext', 'execute'],
  ['Kysely', 'executeQuery', 'selectFrom'],
  ['Knex', 'raw', 'batchInsert'],
  ['TypeORM', 'getRepository', 'query'],
  ['Sequelize', 'getQueryInterface', 'query'],
  ["Sequelize's transaction", 'afterCommit', 'rollback'],
  ['Drizzle', 'execute', 'select', 'insert', 'transaction'],
]

/** The ORM that a client or a transaction belongs to. Undefined for a driver. */
export function ormOf(client: unknown): Orm | undefined {
  return SHAPES.find(([, ...methods]) => methods.every((method) => hasMethod(client, method)))?.[0]
}

/** How ORMs run a statement of a store, to be pasted: `client` is how the caller spells theirs. */
export type Executors = Readonly<Partial<Record<Orm, (client: string) => string>>>

/** @throws ListenerConfigError for a client of one of these ORMs, with the executor to pass in its place. */
export function refuseOrms(client: unknown, option: string, executors: Executors): void {
  const orm = ormOf(client)
  const executor = orm && executors[orm]?.(option)
  if (executor === undefined) return
  throw new ListenerConfigError(
    option,
    `is of ${orm}: pass { query: (text, values) => ${executor} } in its place`,
  )
}

/** Where ORMs keep the database's error: Drizzle and MikroORM, Sequelize, TypeORM, Prisma. */
const WRAPPED = ['cause', 'parent', 'original', 'driverError', 'meta', 'driverAdapterError', 'previous']

/** Ample for a chain of wrappers; a bound, because a getter may return a new object each time. */
const MOST_ERRORS = 32

/** The error itself, and the errors that it wraps, outermost first. */
export function errorsIn(error: unknown): ReadonlySet<unknown> {
  const found = new Set([error])
  for (const one of found) {
    for (const name of WRAPPED) {
      const inner = memberOf(one, name)
      if (typeof inner === 'object' && inner !== null && found.size < MOST_ERRORS) found.add(inner)
    }
  }
  return found
}
