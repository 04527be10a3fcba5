import { type Inspected, type Observed, observedBefore } from './inspected.ts'

const MOST_BYTES = 16 * 2 ** 20

/** The latest deliveries, limited in number and to 16 MB together. Drops the oldest first. */
export class RecentDeliveries {
  readonly #bySeq = new Map<number, Observed>()
  readonly #most: number
  #bytes = 0

  constructor(most: number, loaded: readonly Inspected[] = []) {
    this.#most = most
    for (const delivery of loaded) this.add(observedBefore(delivery))
  }

  add(latest: Observed): void {
    this.#bySeq.set(latest.seq, latest)
    this.#bytes += latest.weight
    for (const [seq, oldest] of this.#bySeq) {
      if (this.#bySeq.size <= this.#most && this.#bytes <= MOST_BYTES) return
      if (seq === latest.seq) return // the latest stays, however large
      this.#bySeq.delete(seq)
      this.#bytes -= oldest.weight
    }
  }

  clear(): void {
    this.#bySeq.clear()
    this.#bytes = 0
  }

  get(seq: number): Inspected | undefined {
    return this.#bySeq.get(seq)?.inspect()
  }

  /** Oldest first. */
  all(): Inspected[] {
    return [...this.#bySeq.values()].map((observed) => observed.inspect())
  }

  get bytes(): number {
    return this.#bytes
  }
}
