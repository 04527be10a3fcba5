import { type Inspected, weightOf } from './inspected.ts'

const MOST_BYTES = 16 * 2 ** 20

/** The latest deliveries: at most so many, and at most 16 MB together. The oldest make room. */
export class Kept {
  readonly #bySeq = new Map<number, { readonly delivery: Inspected; readonly weight: number }>()
  readonly #most: number
  #bytes = 0

  constructor(most: number, loaded: readonly Inspected[] = []) {
    this.#most = most
    for (const delivery of loaded) this.add(delivery)
  }

  add(delivery: Inspected): void {
    const weight = weightOf(delivery)
    this.#bySeq.set(delivery.seq, { delivery, weight })
    this.#bytes += weight
    for (const [seq, oldest] of this.#bySeq) {
      if (this.#bySeq.size <= this.#most && this.#bytes <= MOST_BYTES) return
      if (seq === delivery.seq) return // the latest stays, however large
      this.#bySeq.delete(seq)
      this.#bytes -= oldest.weight
    }
  }

  get(seq: number): Inspected | undefined {
    return this.#bySeq.get(seq)?.delivery
  }

  /** From the oldest to the latest. */
  all(): Inspected[] {
    return [...this.#bySeq.values()].map(({ delivery }) => delivery)
  }

  get bytes(): number {
    return this.#bytes
  }
}
