import type { EventStore, Listener } from 'hookgate'
import type { KeySet } from 'hookgate/jwt'
import { type Listeners, listeners } from 'hookgate/listeners'
import { LRUCache } from 'lru-cache'
import type { Dependencies } from '../http/dependencies.ts'
import { memberOf } from '../member-of.ts'
import { compileListener, tenantKeySetOf } from './compile.ts'
import { findListener, type ListenerRow } from './rows.ts'
import { SharedReads } from './shared-reads.ts'

const MOST_KEY_SETS = 10_000
const MOST_LINES = 10_000
const LISTENER_ID = /^[0-9a-f-]{36}$/
const ID_LENGTH = 36
const DAY_SECONDS = 86_400

/** No secret of the listener is left that can be opened. */
class LostSecretsError extends Error {}

/**
 * The listeners by ID. Every delivery reads the listener's row, so a change takes effect at once in every process, e.g.
 * a withdrawn secret. Deliveries that arrive together share a read. Compiled listeners are cached by ID and revision.
 */
export class ListenerDirectory {
  readonly #dependencies: Dependencies
  /** Does not forget what it has said. */
  readonly #saysOnce: Dependencies
  readonly #store: EventStore
  readonly #rows: SharedReads<ListenerRow>
  readonly #compiled: Listeners
  /** Key sets outlive revisions, because fetched keys stay valid while the URL is the same. */
  readonly #keySets = new LRUCache<string, KeySet>({ max: MOST_KEY_SETS })

  /** What was said of listeners that an operator must mend. Each delivery would say it again. */
  readonly #said = new LRUCache<string, true>({ max: MOST_LINES })

  constructor(dependencies: Dependencies, store: EventStore) {
    const report = (said: unknown) => {
      const cause = memberOf(said, 'cause')
      const line = cause instanceof LostSecretsError ? cause.message : said
      if (typeof line === 'string' && this.#said.has(line)) return
      if (typeof line === 'string') this.#said.set(line, true)
      dependencies.report(line)
    }
    this.#dependencies = dependencies
    this.#saysOnce = { ...dependencies, report }
    this.#store = store
    this.#rows = new SharedReads((id) => findListener(dependencies.database, id))
    this.#compiled = listeners({
      load: (key) => this.#compile(key.slice(0, ID_LENGTH)),
      // A revision never changes, so there is nothing to renew.
      ttlSeconds: DAY_SECONDS,
      unknownSeconds: 0,
      onError: report,
    })
  }

  async find(id: string): Promise<Listener | undefined> {
    if (!LISTENER_ID.test(id)) return undefined
    const row = await this.#rows.find(id)
    return row && this.#compiled.find(`${id} ${row.revision}`)
  }

  /**
   * Reads the row again. A newer row does no harm.
   *
   * @throws LostSecretsError, which makes it a 503: the listener exists, and a rotation repairs it.
   */
  async #compile(id: string): Promise<Listener | undefined> {
    const row = await this.#rows.find(id)
    if (row === undefined) return undefined
    const compiled = await compileListener(this.#dependencies.database, this.#saysOnce, row, {
      store: this.#store,
      keySet: this.#keySetOf(row),
    })
    if (compiled === undefined && (await this.#rows.find(id)) !== undefined)
      throw new LostSecretsError(`listener ${id} has lost its signing secrets; rotate its secret`)
    return compiled
  }

  #keySetOf({ id, jwks_url: url }: ListenerRow): KeySet | undefined {
    if (url === null) return undefined
    const key = `${id} ${url}`
    const keySet = this.#keySets.get(key) ?? tenantKeySetOf(this.#dependencies, id, url)
    this.#keySets.set(key, keySet)
    return keySet
  }
}
