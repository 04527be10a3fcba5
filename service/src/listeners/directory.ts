import { type EventStore, type Listener, ListenerConfigError, ListenerLoadError } from 'hookgate'
import type { KeySet } from 'hookgate/jwt'
import { LRUCache } from 'lru-cache'
import type { Dependencies } from '../http/dependencies.ts'
import { compileListener, keySetOf } from './compile.ts'
import { findListener, type ListenerRow } from './rows.ts'
import { sharedReads } from './shared-reads.ts'

const MOST_COMPILED = 10_000
const LISTENER_ID = /^[0-9a-f-]{36}$/

/** The latest revision of a listener. */
interface Compiled {
  readonly revision: number
  /** Undefined if it cannot verify anything. Only another revision repairs that. */
  readonly listener: Promise<Listener | undefined>
}

/**
 * Finds listeners by ID. Every delivery reads the listener's row, so a change takes effect at once in every process, e.g.
 * a withdrawn secret. Deliveries that arrive together share a read. The latest revision of each is kept compiled.
 *
 * @returns A lookup. Throws ListenerLoadError, which makes it a 503, for a listener that cannot verify anything.
 */
export function listenerDirectory(
  dependencies: Dependencies,
  store: EventStore,
): (id: string) => Promise<Listener | undefined> {
  const { database, report } = dependencies
  const rowOf = sharedReads((id) => findListener(database, id))
  const latest = new LRUCache<string, Compiled>({ max: MOST_COMPILED })
  /** Key sets outlive revisions, because fetched keys stay valid while the URL is the same. */
  const keySets = new LRUCache<string, KeySet>({ max: MOST_COMPILED })

  function keptKeySetOf(row: ListenerRow): KeySet | undefined {
    const key = `${row.id} ${row.jwks_url}`
    const keySet = keySets.get(key) ?? keySetOf(dependencies, row)
    keySets.set(key, keySet)
    return keySet
  }

  /** Says once for each revision what an operator must mend. */
  async function load(row: ListenerRow): Promise<Listener | undefined> {
    try {
      const listener = await compileListener(database, dependencies, row, store, keptKeySetOf(row))
      const isLost = listener === undefined && (await findListener(database, row.id)) // and was not deleted meanwhile
      if (isLost) report(`listener ${row.id} has lost its signing secrets; rotate its secret`)
      return listener
    } catch (error) {
      if (!(error instanceof ListenerConfigError)) throw error
      report(`listener ${row.id}: ${error.message}`)
      return undefined
    }
  }

  function compile(row: ListenerRow): Compiled {
    const compiled = { revision: row.revision, listener: load(row) }
    latest.set(row.id, compiled)
    compiled.listener.catch(() => latest.delete(row.id)) // e.g. an outage of the database
    return compiled
  }

  return async (id) => {
    const row = LISTENER_ID.test(id) ? await rowOf(id) : undefined
    if (row === undefined) return undefined
    const kept = latest.get(id)
    const listener = await (kept?.revision === row.revision ? kept : compile(row)).listener
    if (listener === undefined) throw new ListenerLoadError('the listener has to be repaired')
    return listener
  }
}
