import { EventStoreError, ListenerConfigError } from '../../../src/index.ts'
import { callHook } from '../../../src/lib/hooks.ts'
import { isA } from '../../../src/lib/member-of.ts'
import type { OptionRows } from '../../command-line/command.ts'
import { RefusedError, UsageError } from '../../command-line/exit.ts'
import { messageOf } from '../../command-line/output.ts'
import { type OpenStore, openClient, reasonOf } from '../../store/clients.ts'
import type { OpenInbox, Tables } from '../../store/tables.ts'
import { parseStoreUrl, type StoreUrl } from '../../store/url.ts'

/** Which inbox: the options of all its commands. */
export const STORE_OPTIONS = {
  store: { value: 'URL', says: 'The database of the inbox, postgres://… (default: HOOKGATE_STORE)' },
  'store-table': { value: 'NAME', says: 'Its table (default: the only inbox that is there)' },
} satisfies OptionRows

interface StoreGiven {
  readonly store?: string
  readonly 'store-table'?: string
}

/** A whole table may be read. */
const STATEMENT_MS = 120_000

/**
 * Opens the inbox, works with it, and closes its client.
 *
 * @throws UsageError for options that name no inbox. RefusedError if the work fails. Neither quotes a secret.
 */
export async function withInbox<Result>(
  given: StoreGiven,
  work: (box: OpenInbox, table: string) => Promise<Result>,
): Promise<Result> {
  const text = given.store ?? process.env.HOOKGATE_STORE
  if (text === undefined) throw new UsageError('needs --store postgres://HOST/DATABASE, or HOOKGATE_STORE')
  const url = parseStoreUrl(text)
  if (url.engine !== 'postgres')
    throw new UsageError(`an inbox is a table in Postgres, not in ${url.engine}: give --store postgres://…`)
  let opened: OpenStore | undefined
  try {
    opened = await openClient(url.engine, url.target, { statementMs: STATEMENT_MS })
    const { tables } = opened
    const name = await tableOf(tables, given['store-table'])
    const box = tables.open({ kind: 'inbox', name }).inbox
    if (box === undefined) throw new RefusedError('this client has no inbox') // Postgres has one
    return await work(box, name)
  } catch (error) {
    throw explained(error, url, opened)
  } finally {
    callHook(() => opened?.close())
  }
}

async function tableOf(tables: Tables, given: string | undefined): Promise<string> {
  const found = await tables.find()
  const other = found.find(
    ({ names, kind }) => kind !== 'inbox' && given !== undefined && names.includes(given),
  )
  if (other) throw new UsageError(`--store-table is a table of ${other.kind}, not an inbox`)
  if (given !== undefined) return given
  const names = found.filter(({ kind }) => kind === 'inbox').map(({ name }) => name)
  if (names.length > 1) throw new UsageError(`there are several: give --store-table ${names.join(' or ')}`)
  if (names[0] !== undefined) return names[0]
  throw new RefusedError(
    'no inbox is there: run `await box.migrate()` once, or correct the database of --store',
  )
}

const NO_ID =
  'ID must be one that hookgate inbox list prints, such as job_…; for an event of the sender, give --listener NAME --event ID'

/** Our own errors name their fix. Of others, the innermost cause says most. */
function explained(error: unknown, url: StoreUrl, opened: OpenStore | undefined): unknown {
  if (isA(error, UsageError) || isA(error, RefusedError)) return error
  if (isA(error, ListenerConfigError)) {
    if (error.option === 'table') return new UsageError(`--store-table ${error.problem}`)
    if (error.option === 'job') return new UsageError(NO_ID)
  }
  const reason = reasonOf(opened?.complaint?.() ?? error, url)
  const asked = 'start the server, or correct --store: host, port, user, password'
  const told = isA(error, EventStoreError) ? `${messageOf(error)} (${reason})` : `${reason}; ${asked}`
  return new RefusedError(`${url.shown}: ${told}`)
}
