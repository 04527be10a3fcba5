import { type EventStore, type Listener, ListenerConfigError, ListenerLoadError } from 'hookgate'
import type { KeySet } from 'hookgate/jwt'
import { LRUCache } from 'lru-cache'
import type { Dependencies } from '../http/dependencies.ts'
import { compileListener, keySetOf } from './compile.ts'
import { findListener, type ListenerRow } from './rows.ts'
import { SharedReads } from './shared-reads.ts'

const MOST_COMPILED = 10_000
const LISTENER_ID = /^[0-9a-f-]{36}$/

/** The latest revision of a listener. */
interface Compiled {
  readonly revision: number
  /** Undefined if it cannot verify anything. Only another revision repairs that. */
  readonly listener: Promise<Listener | undefined>
}

/**
 * The listeners by ID. Every delivery reads the listener's row, so a change takes effect at once in every process, e.g.
 * a withdrawn secret. Deliveries that arrive together share a read. The latest revision of each is kept compiled.
 */
export class ListenerDirectory {
  readonly #dependencies: Dependencies
  readonly #store: EventStore
  readonly #rows: SharedReads<ListenerRow>
  readonly #compiled = new LRUCache<string, Compiled>({ max: MOST_COMPILED })
  /** Key sets outlive revisions, because fetched keys stay valid while the URL is the same. */
  readonly #keySets = new LRUCache<string, KeySet>({ max: MOST_COMPILED })

  constructor(dependencies: Dependencies, store: EventStore) {
    this.#dependencies = dependencies
    this.#store = store
    this.#rows = new SharedReads((id) => findListener(dependencies.database, id))
  }

  /** @throws ListenerLoadError, which makes it a 503, for a listener that cannot verify anything. */
  async find(id: string): Promise<Listener | undefined> {
    if (!LISTENER_ID.test(id)) return undefined
    const row = await this.#rows.find(id)
    if (row === undefined) return undefined
    const cached = this.#compiled.get(id)
    const { listener } = cached?.revision === row.revision ? cached : this.#compile(row)
    const compiled = await listener
    if (compiled === undefined) throw new ListenerLoadError('the listener has to be repaired')
    return compiled
  }

  #compile(row: ListenerRow): Compiled {
    const compiled = { revision: row.revision, listener: this.#load(row) }
    this.#compiled.set(row.id, compiled)
    compiled.listener.catch(() => this.#compiled.delete(row.id)) // e.g. an outage of the database
    return compiled
  }

  /** Says once for each revision what an operator must mend. */
  async #load(row: ListenerRow): Promise<Listener | undefined> {
    const { database, report } = this.#dependencies
    try {
      const keySet = this.#keySetOf(row)
      const listener = await compileListener(database, this.#dependencies, row, this.#store, keySet)
      const isLost = listener === undefined && (await findListener(database, row.id)) // and was not deleted meanwhile
      if (isLost) report(`listener ${row.id} has lost its signing secrets; rotate its secret`)
      return listener
    } catch (error) {
      if (!(error instanceof ListenerConfigError)) throw error
      report(`listener ${row.id}: ${error.message}`)
      return undefined
    }
  }

  #keySetOf(row: ListenerRow): KeySet | undefined {
    const key = `${row.id} ${row.jwks_url}`
    const keySet = this.#keySets.get(key) ?? keySetOf(this.#dependencies, row)
    this.#keySets.set(key, keySet)
    return keySet
  }
}
