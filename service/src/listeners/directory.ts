import type { EventStore, Listener } from 'hookgate'
import type { KeySet } from 'hookgate/jwt'
import { LRUCache } from 'lru-cache'
import type { Dependencies } from '../http/dependencies.ts'
import { compileListener } from './compile.ts'
import { tenantKeySet } from './key-hosts.ts'
import { findListener, type ListenerRow } from './rows.ts'
import { SharedReads } from './shared-reads.ts'

const MOST_COMPILED = 10_000
const LISTENER_ID = /^[0-9a-f-]{36}$/

interface Compiled {
  readonly revision: number
  readonly listener: Listener
  /** Outlives revisions: what it fetched stays good while the URL is the same. */
  readonly keys: { readonly url: string; readonly keySet: KeySet } | undefined
}

/**
 * The listeners by ID. Each delivery is judged by a row that was read after it had come, so that a change counts at once
 * in every process: a secret that was withdrawn, a network that was taken out. Deliveries that come together share the
 * read. What is made of the row is kept.
 */
export class ListenerDirectory {
  readonly #dependencies: Dependencies
  readonly #store: EventStore
  readonly #rows: SharedReads<ListenerRow>
  readonly #compiled = new LRUCache<string, Compiled>({ max: MOST_COMPILED })

  constructor(dependencies: Dependencies, store: EventStore) {
    this.#dependencies = dependencies
    this.#store = store
    this.#rows = new SharedReads((id) => findListener(dependencies.database, id))
  }

  async find(id: string): Promise<Listener | undefined> {
    if (!LISTENER_ID.test(id)) return undefined
    const row = await this.#rows.find(id)
    if (row === undefined) return undefined
    const known = this.#compiled.get(id)
    if (known?.revision === row.revision) return known.listener
    const compiled = await this.#compile(row, known)
    if (compiled) this.#compiled.set(id, compiled)
    return compiled?.listener
  }

  async #compile(row: ListenerRow, before: Compiled | undefined): Promise<Compiled | undefined> {
    const { database } = this.#dependencies
    const keys = this.#keysOf(row, before)
    const parts = { store: this.#store, keySet: keys?.keySet }
    const listener = await compileListener(database, this.#dependencies, row, parts)
    return listener && { revision: row.revision, listener, keys }
  }

  #keysOf({ jwks_url: url }: ListenerRow, before: Compiled | undefined): Compiled['keys'] {
    if (url === null) return undefined
    return before?.keys?.url === url ? before.keys : { url, keySet: tenantKeySet(url, this.#dependencies) }
  }
}
