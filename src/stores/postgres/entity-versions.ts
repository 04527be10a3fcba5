import { EventStoreError, ListenerConfigError } from '../../errors.ts'
import { checkedElsewhere, checkOptions, kindOf } from '../../lib/options.ts'
import { parseTime } from '../../lib/time.ts'
import { answering } from '../answer.ts'
import { type CheckOptions, knownAnswer, type StoreProblem } from '../contract.ts'
import { problemsOf, type TableNeeds } from './check.ts'
import { type PostgresClient, statementRunner } from './client.ts'
import { answerInside } from './inside.ts'
import { migrate } from './migrate.ts'
import {
  IS_OPEN,
  keyText,
  MARKED_AS_CLOSED,
  printed,
  quotedTable,
  type TableDefinition,
} from './statements.ts'

const DEFAULT_TABLE = 'hookgate_versions'

/** The options of `entityVersions`. */
export interface EntityVersionsOptions {
  /** `name` or `schema.name`, of letters, digits and underscores. Defaults to `hookgate_versions`. */
  readonly table?: string | undefined
}

/**
 * What `advance` found.
 *
 * - `newer`: the highest version of this entity so far, or its first. Write the event's state.
 * - `same`: another event had this version, so neither is known to be the later one. Fetch the state from the sender, in this
 *   transaction, and write that.
 * - `older`: write nothing.
 */
export type AdvanceAnswer = 'newer' | 'same' | 'older'

/**
 * The highest version seen of each entity.
 *
 * @example
 * ```ts
 * import type { PoolClient } from 'pg'
 *
 * const versions: EntityVersions = entityVersions()
 *
 * async function save(tx: PoolClient, order: { id: string; version: number }) {
 *   if ((await versions.advance(tx, `shop:order:${order.id}`, order.version)) !== 'newer') return
 *   await tx.query('INSERT INTO orders …')
 * }
 * ```
 */
export interface EntityVersions {
  /**
   * Creates the table if it is missing. Safe to run concurrently. From a table that it creates, it takes what default privileges gave to
   * `PUBLIC`, `anon` and `authenticated`.
   */
  migrate(client: PostgresClient): Promise<void>
  /**
   * Lists problems of the server, the table, who may write to it, and the client. Empty if there are none. Changes nothing.
   *
   * @throws ListenerConfigError for unknown or invalid options.
   */
  check(client: PostgresClient, options?: CheckOptions): Promise<readonly StoreProblem[]>
  /**
   * Compares the version of an event with the highest version of its entity, and raises that. Locks the entity until the
   * transaction ends: other calls for it wait, for as long as `lock_timeout` allows.
   *
   * The versions of an entity are either numbers or times, never both. Times are compared to the nanosecond.
   *
   * @param tx The client of an open transaction, in which the state is written too. Takes two round trips if nothing
   * was written in it before.
   * @param entity Any text that is unique to the entity, e.g. `stripe:subscription:sub_1`. IDs of different senders may be equal, so
   * begin with the sender.
   * @param version A safe integer, a bigint or the text of a whole number, of up to 100 digits; or a `Date` or a text in RFC 3339.
   * @throws ListenerConfigError for a pool or a client without an open transaction, for any other version, e.g. of a member that the
   * payload lacks, and for a number after a time of the same entity, or the reverse. EventStoreError if the table is missing. The
   * client's error otherwise: under `REPEATABLE READ` and `SERIALIZABLE`, two transactions of one entity fail with `40001`.
   */
  advance(
    tx: PostgresClient,
    entity: string,
    version: number | bigint | string | Date,
  ): Promise<AdvanceAnswer>
}

/**
 * Keeps an older event from overwriting a newer state, in a Postgres table of one row per entity. It needs events that have a
 * version, e.g. `created`, `updated_at` or a sequence number.
 *
 * Rows are kept until you delete them. Keep that of a deleted entity for as long as its sender retries.
 *
 * @example
 * ```ts
 * const versions = entityVersions()
 * await versions.migrate(pool)
 * ```
 *
 * @throws ListenerConfigError for unknown or invalid options.
 */
export function entityVersions(options: EntityVersionsOptions = {}): EntityVersions {
  checkOptions('entityVersions', options, { table: checkedElsewhere })
  const { table = DEFAULT_TABLE } = options
  const quoted = quotedTable(table).table
  const statement = advanceStatement(quoted)
  return {
    async migrate(client) {
      await migrate(statementRunner(client, 'client'), definitionOf(table), table)
    },
    check: async (client, given = {}) =>
      problemsOf(statementRunner(client, 'client'), client, needsOf(table), given),
    async advance(tx, entity, version) {
      if (typeof entity !== 'string' || entity === '')
        throw new ListenerConfigError('entity', 'must be a non-empty string')
      const { kind, value } = comparable(version)
      const values = [await keyText(entity), kind, `${value}`]
      const found = await answerInside(tx, 'advance(tx)', statement, values, tableMissing)
      const answer = knownAnswer('Postgres', ANSWERS, found)
      if (answer === 'mixed') {
        throw new ListenerConfigError(
          'version',
          `is a ${kind}, unlike the versions of this entity so far: numbers and times have no common order`,
        )
      }
      return answer
    },
  }
}

const needsOf = (table: string): TableNeeds => ({
  table,
  indexed: {},
  rights: ['SELECT', 'INSERT', 'UPDATE'],
  migrate: 'versions.migrate(client)',
})

function definitionOf(name: string): TableDefinition {
  return {
    table: quotedTable(name).table,
    columns: `entity text COLLATE "C" PRIMARY KEY,
  kind text NOT NULL,
  version numeric NOT NULL,
  answer text NOT NULL,
  advanced_at timestamptz NOT NULL DEFAULT clock_timestamp()`,
    indexes: [],
  }
}

/**
 * Returns the SQL that `migrate()` runs, for your own migrations: one statement, idempotent. From a table that it creates, it takes what
 * default privileges gave to `PUBLIC`, `anon` and `authenticated`.
 *
 * Entities are stored in ASCII, escaped as in JavaScript; of those over 500 characters, a digest. Times are nanoseconds since 1970.
 *
 * @example
 * ```ts
 * console.log(entityVersionsSchema('webhooks.versions'))
 * ```
 *
 * @param table Defaults to `hookgate_versions`. May include a schema: `webhooks.versions`. Case-sensitive.
 * @throws ListenerConfigError for an invalid name.
 */
export function entityVersionsSchema(table: string = DEFAULT_TABLE): string {
  return printed(definitionOf(table))
}

/** `mixed`: numbers and times. */
const ANSWERS = ['newer', 'same', 'older', 'mixed'] as const

/**
 * `$1` entity, `$2` kind, `$3` version. The row is locked even where `WHERE` is false. The answer is a column, because RETURNING sees
 * only the new row, and a SELECT beside the INSERT would not see a row that was written after the statement began.
 */
const advanceStatement = (table: string) =>
  answering(
    `SELECT answer FROM advanced
UNION ALL
SELECT CASE WHEN is_open THEN 'older' ELSE ${MARKED_AS_CLOSED} END FROM open WHERE NOT EXISTS (SELECT FROM advanced)`,
    `open AS MATERIALIZED (
  SELECT ${IS_OPEN} AS is_open
), advanced AS (
  INSERT INTO ${table} AS known (entity, kind, version, answer)
  SELECT $1::text, $2::text, $3::numeric, 'newer' FROM open WHERE is_open
  ON CONFLICT (entity) DO UPDATE SET
    version = CASE known.kind WHEN excluded.kind THEN excluded.version ELSE known.version END,
    answer = CASE WHEN known.kind <> excluded.kind THEN 'mixed' WHEN known.version = excluded.version THEN 'same' ELSE 'newer' END,
    advanced_at = clock_timestamp()
  WHERE known.kind <> excluded.kind OR known.version <= excluded.version
  RETURNING answer
)`,
  )

const tableMissing = (cause: unknown) =>
  new EventStoreError(
    'the table of versions is missing, or not on the search_path: run `await versions.migrate(client)` once, or pass its name with its schema',
    { cause },
  )

const WHOLE_NUMBER = /^-?[0-9]{1,100}$/
const FRACTION = /(?<=:[0-9]{2})\.([0-9]{1,9})(?=(?:Z|[+-][0-9]{2}:[0-9]{2})$)/

/** As whole numbers, so that none is rounded. @throws ListenerConfigError for anything without an order. */
function comparable(version: unknown): { readonly kind: 'number' | 'time'; readonly value: bigint } {
  const isWhole = typeof version === 'bigint' || typeof version === 'string' || Number.isSafeInteger(version)
  if (isWhole && WHOLE_NUMBER.test(`${version}`)) return { kind: 'number', value: BigInt(`${version}`) }
  const nanoseconds = typeof version === 'string' ? nanosecondsOf(version) : nanosecondsOfDate(version)
  if (nanoseconds !== undefined) return { kind: 'time', value: nanoseconds }
  throw new ListenerConfigError(
    'version',
    `must be a whole number (a bigint or text above 2^53), a valid Date, or text in RFC 3339; got ${kindOf(version)}`,
  )
}

function nanosecondsOf(text: string): bigint | undefined {
  const [, fraction = ''] = FRACTION.exec(text) ?? []
  const seconds = parseTime('rfc3339', text.replace(FRACTION, ''))
  if (Number.isNaN(seconds)) return undefined
  return BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))
}

function nanosecondsOfDate(date: unknown): bigint | undefined {
  const milliseconds = kindOf(date) === 'Date' ? Number(date) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : BigInt(milliseconds) * 1_000_000n
}
