import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { RemoteOptions } from './remote-options.ts'
import { COOLDOWN_MS, RemoteValue } from './remote-value.ts'

const MOST_NAMES = 100
/** In 30 s, of names that have no value yet. */
const MOST_NEW_ATTEMPTS = 10

/**
 * Things on another host by name, each fetched when a delivery first names it: certificates by URL, keys by `kid`. Each is
 * kept under the rules of `RemoteValue`. Strangers can make names up, so names without a value share ten attempts in 30 s,
 * and at most 100 names are remembered.
 */
export class RemoteValues<T> {
  readonly #values = new Map<string, RemoteValue<T | undefined>>()
  readonly #where: string
  readonly #fetchValue: (name: string) => Promise<T | undefined>
  readonly #options: RemoteOptions
  #windowBegan = -Infinity
  #attempts = 0

  /** @param fetchValue Settles within the timeout. Undefined: there is nothing of this name. */
  constructor(where: string, fetchValue: (name: string) => Promise<T | undefined>, options: RemoteOptions) {
    this.#where = where
    this.#fetchValue = fetchValue
    this.#options = options
  }

  /** Undefined where there is nothing of this name. @throws KeySetError when nobody can tell. */
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
        if (value.last() === undefined) this.#countAttempt()
        return await this.#fetchValue(name)
      },
      this.#options,
    )
    this.#values.set(name, value)
    return value
  }

  /** The oldest of those without a value, or the oldest of all. */
  #forgetOne(): void {
    const names = [...this.#values.keys()]
    const name = names.find((each) => this.#values.get(each)?.last() === undefined) ?? names[0]
    if (name !== undefined) this.#values.delete(name)
  }

  #countAttempt(): void {
    const { clock = performance } = this.#options
    const age = clock.now() - this.#windowBegan
    if (age < 0 || age >= COOLDOWN_MS) {
      this.#windowBegan = clock.now()
      this.#attempts = 0
    }
    this.#attempts += 1
    if (this.#attempts > MOST_NEW_ATTEMPTS) throw new Error('was not asked: too many unknown names')
  }
}
