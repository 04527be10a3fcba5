import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { RemoteOptions } from './remote-options.ts'
import { COOLDOWN_MS, RemoteValue } from './remote-value.ts'

const MOST_NAMES = 100
/** Per 30 s, for names without a value. */
const MOST_NEW_FETCHES = 10

/**
 * Caches remote values by name, e.g. certificates by URL or keys by `kid`. Fetches each when a delivery first names it, and
 * keeps it under the rules of `RemoteValue`. Strangers can invent names, so names without a value share ten fetches per
 * 30 s, and at most 100 names are remembered.
 */
export class RemoteValues<T> {
  readonly #values = new Map<string, RemoteValue<T | undefined>>()
  readonly #where: string
  readonly #fetchValue: (name: string) => Promise<T | undefined>
  readonly #options: RemoteOptions
  #windowBegan = -Infinity
  #fetches = 0

  /** @param fetchValue Settles within the timeout. Resolves with undefined if the name has no value. */
  constructor(where: string, fetchValue: (name: string) => Promise<T | undefined>, options: RemoteOptions) {
    this.#where = where
    this.#fetchValue = fetchValue
    this.#options = options
  }

  /** Passes undefined to `read` if the name has no value. @throws KeySetError if that cannot be decided. */
  get<R>(name: string, read: (value: T | undefined) => MaybePromise<R>): MaybePromise<R> {
    return this.#valueOf(name).get((value) => value !== undefined, read)
  }

  #valueOf(name: string): RemoteValue<T | undefined> {
    const known = this.#values.get(name)
    if (known) return known
    if (this.#values.size >= MOST_NAMES) this.#forgetOne()
    const value: RemoteValue<T | undefined> = new RemoteValue(
      this.#where,
      async () => {
        if (value.last() === undefined) this.#countFetch()
        return await this.#fetchValue(name)
      },
      this.#options,
    )
    this.#values.set(name, value)
    return value
  }

  /** Evicts the oldest name without a value, otherwise the oldest name. */
  #forgetOne(): void {
    const names = [...this.#values.keys()]
    const name = names.find((each) => this.#values.get(each)?.last() === undefined) ?? names[0]
    if (name !== undefined) this.#values.delete(name)
  }

  #countFetch(): void {
    const { clock = performance } = this.#options
    const age = clock.now() - this.#windowBegan
    if (age < 0 || age >= COOLDOWN_MS) {
      this.#windowBegan = clock.now()
      this.#fetches = 0
    }
    this.#fetches += 1
    if (this.#fetches > MOST_NEW_FETCHES) throw new Error('was not asked: too many unknown names')
  }
}
