import { LRUCache } from 'lru-cache'

const MOST_WAITING_EACH = 100
/** How long one may wait, in milliseconds. */
const MOST_WAITING_MS = 10_000
const MOST_OWNERS = 10_000
/** How long the use of an owner counts, in milliseconds. */
const REMEMBERED_MS = 60_000

/** Too much work of one owner is waiting. A retry may succeed. */
export class BusyError extends Error {
  override readonly name = 'BusyError'
}

interface Waiting<Resource> {
  readonly owner: string
  readonly begin: (resource: Resource) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Shares a few resources between owners. An owner uses one resource at a time, and among those that wait, the one who has
 * used the least comes first. So the slow work of one owner does not delay the others.
 */
export class Turns<Resource> {
  readonly #free: Resource[]
  readonly #busy = new Set<string>()
  readonly #waiting = new Set<Waiting<Resource>>()
  /** Milliseconds used, by owner. */
  readonly #used = new LRUCache<string, number>({ max: MOST_OWNERS, ttl: REMEMBERED_MS })

  constructor(resources: readonly Resource[]) {
    this.#free = [...resources]
  }

  /** @throws BusyError (as a rejection) if 100 of this owner are waiting, or after 10 seconds of waiting. */
  async use<Result>(owner: string, work: (resource: Resource) => Promise<Result>): Promise<Result> {
    const resource = await this.#turn(owner)
    const began = performance.now()
    try {
      return await work(resource)
    } finally {
      this.#used.set(owner, this.#usedBy(owner) + performance.now() - began)
      this.#busy.delete(owner)
      this.#free.push(resource)
      this.#next()
    }
  }

  #turn(owner: string): Promise<Resource> {
    return new Promise((begin, reject) => {
      const ahead = [...this.#waiting].filter((each) => each.owner === owner)
      if (ahead.length >= MOST_WAITING_EACH) return reject(new BusyError('too many are waiting'))
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(new BusyError('it waited too long for its turn'))
      }, MOST_WAITING_MS)
      const waiting = { owner, begin, timer }
      this.#waiting.add(waiting)
      this.#next()
    })
  }

  /** Begins the turn of the owner who may have one and has used the least. */
  #next(): void {
    const [next] = [...this.#waiting]
      .filter(({ owner }) => !this.#busy.has(owner))
      .sort((one, other) => this.#usedBy(one.owner) - this.#usedBy(other.owner))
    const resource = next && this.#free.pop()
    if (next === undefined || resource === undefined) return
    clearTimeout(next.timer)
    this.#waiting.delete(next)
    this.#busy.add(next.owner)
    next.begin(resource)
  }

  #usedBy(owner: string): number {
    return this.#used.get(owner) ?? 0
  }
}
