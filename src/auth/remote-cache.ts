import { KeySetError } from '../errors.ts'
import { networkOf } from '../lib/cidr.ts'
import { timeOf } from '../lib/clock.ts'
import { COOLDOWN_MS, type RemoteOptions, RemoteValue } from './remote-value.ts'

const MOST_VALUES = 100
/** Per 30 s, for names without a value. */
const MOST_NEW_FETCHES = 10

/** How many fetches may begin in 30 s: for names without a value on behalf of one source, and for names with a value. */
const FETCHES = { perSource: 3, renewals: 10 }

/** A fetch for a name without a value. */
interface NewFetch<T> {
  readonly name: string
  readonly source: string
  readonly beganAt: number
  readonly value: RemoteValue<T | undefined>
}

/**
 * Caches remote values by name, e.g. certificates by URL or keys by `kid`. Fetches each when a delivery first names it, and
 * keeps it under the rules of `RemoteValue`.
 *
 * Strangers can invent names. So for names without a value, ten fetches may begin in 30 s, and three of them for one source:
 * an IPv4 address or an IPv6 /64 network. All unknown addresses are one source. Such a name is remembered only while its fetch
 * lasts, and for 30 s from its start. At most 100 names with values are kept. Their renewals have a share of their own.
 */
export class RemoteCache<T> {
  readonly #values = new Map<string, RemoteValue<T | undefined>>()
  #newFetches: readonly NewFetch<T>[] = []
  #renewals: readonly number[] = []
  readonly #where: string
  readonly #fetchValue: (name: string) => Promise<T | undefined>
  readonly #options: RemoteOptions
  readonly #most: typeof FETCHES

  /** @param fetchValue Settles within the timeout. Resolves with undefined if the name has no value. */
  constructor(
    where: string,
    fetchValue: (name: string) => Promise<T | undefined>,
    options: RemoteOptions,
    most: typeof FETCHES = FETCHES,
  ) {
    this.#where = where
    this.#fetchValue = fetchValue
    this.#options = options
    this.#most = most
  }

  /**
   * Passes undefined to `read` if the name has no value.
   *
   * @param address Who names it. Undefined if unknown.
   * @throws KeySetError if that cannot be decided.
   */
  async get<R>(
    name: string,
    address: string | undefined,
    read: (value: T | undefined) => R | Promise<R>,
  ): Promise<R> {
    const known = this.#values.get(name)
    if (known) return known.get(isThere, read, () => this.#mayRenew())
    const source = networkOf(address)
    this.#newFetches = this.#newFetches.filter(
      (each) => each.value.isFetching() || this.#isRecent(each.beganAt),
    )
    const asked = this.#newFetches.find((each) => each.name === name)
    const wait = asked ? 0 : this.#waitOf(source)
    if (wait > 0) throw new KeySetError(`${this.#where} was not asked: too many unknown names`, wait)
    const value = asked?.value ?? this.#valueOf(name)
    return value.get(isThere, read, () => {
      if (this.#waitOf(source) > 0) return false
      this.#newFetches = [...this.#newFetches, { name, source, beganAt: this.#now(), value }]
      return true
    })
  }

  /** In how many seconds this source may fetch another name. 0 if it may now. */
  #waitOf(source: string): number {
    const own = this.#newFetches.filter((each) => each.source === source)
    const isFull = this.#newFetches.length >= MOST_NEW_FETCHES
    const [oldest] = isFull ? this.#newFetches : own.length >= this.#most.perSource ? own : []
    return oldest ? Math.max(1, Math.ceil((oldest.beganAt + COOLDOWN_MS - this.#now()) / 1000)) : 0
  }

  #mayRenew(): boolean {
    this.#renewals = this.#renewals.filter((beganAt) => this.#isRecent(beganAt))
    if (this.#renewals.length >= this.#most.renewals) return false
    this.#renewals = [...this.#renewals, this.#now()]
    return true
  }

  #valueOf(name: string): RemoteValue<T | undefined> {
    const value: RemoteValue<T | undefined> = new RemoteValue(
      this.#where,
      async () => {
        const found = await this.#fetchValue(name)
        this.#values.delete(name)
        if (found !== undefined) this.#keep(name, value)
        return found
      },
      this.#options,
    )
    return value
  }

  /** Evicts the value that was fetched the longest time ago. */
  #keep(name: string, value: RemoteValue<T | undefined>): void {
    const [oldest] = this.#values.size < MOST_VALUES ? [] : this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
    this.#values.set(name, value)
  }

  /** If the clock was set back, the age is unknown, and counts as too old. */
  #isRecent(then: number): boolean {
    const age = this.#now() - then
    return age >= 0 && age < COOLDOWN_MS
  }

  #now(): number {
    return timeOf(this.#options.clock ?? performance)
  }
}

const isThere = (value: unknown) => value !== undefined
