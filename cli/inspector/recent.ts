import { LRUCache } from 'lru-cache'
import { type Inspected, type Observed, observedBefore } from './inspected.ts'

const MOST_BYTES = 16 * 2 ** 20

/** The latest deliveries, limited in number and to 16 MB together. Drops the oldest first. */
export class RecentDeliveries {
  readonly #bySeq: LRUCache<number, Observed>

  constructor(most: number, loaded: readonly Inspected[] = []) {
    // Keeps the latest, however large.
    const sizeCalculation = ({ weight }: Observed) => Math.min(weight, MOST_BYTES)
    this.#bySeq = new LRUCache({ max: most, maxSize: MOST_BYTES, sizeCalculation })
    for (const delivery of loaded) this.add(observedBefore(delivery))
  }

  add(latest: Observed): void {
    this.#bySeq.set(latest.seq, latest)
  }

  clear(): void {
    this.#bySeq.clear()
  }

  get(seq: number): Inspected | undefined {
    return this.#bySeq.peek(seq)?.inspect()
  }

  /** Oldest first. */
  all(): Inspected[] {
    return [...this.#bySeq.rvalues()].flatMap((observed) => observed?.inspect() ?? [])
  }

  /** The last delivery before this one that was accepted as this event, or else the first one after it. */
  acceptedAs(eventId: string, seq: number): Inspected | undefined {
    const known = [...this.#bySeq.values()].filter((each) => each.acceptedAs === eventId && each.seq !== seq) // latest first
    return (known.find((each) => each.seq < seq) ?? known.at(-1))?.inspect()
  }

  get bytes(): number {
    return this.#bySeq.calculatedSize
  }
}
