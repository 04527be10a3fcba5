import type { RunStatement } from '../stores/postgres/client.ts'
import { type Asking, answerOf } from './ask.ts'
import { inTime } from './records.ts'
import { SWEPT_AT_ONCE } from './statements.ts'

const SWEEP_MS = 60_000
/** If a statement was never answered, because its process was frozen, or its request had ended. */
const GIVEN_UP_MS = 600_000

/** Deletes what need not be remembered any more: once a minute for all that run the jobs of an inbox in this process. */
export class Sweeper {
  readonly #run: RunStatement
  readonly #statement: string
  #sweptAt = -Infinity
  /** Until a statement has been answered, it may hold a connection. */
  #isAsking = false
  #isTold = false

  constructor({ run, statements }: Asking) {
    this.#run = run
    this.#statement = statements.sweep
  }

  /** Sweeps until little is left, if it is time. Tells an error once, until a sweep has succeeded again. Never rejects. */
  async sweep(by: { isOver(): boolean; tell(error: unknown): void }): Promise<void> {
    const agoMs = performance.now() - this.#sweptAt
    if (agoMs < (this.#isAsking ? GIVEN_UP_MS : SWEEP_MS)) return
    this.#sweptAt = performance.now()
    try {
      for (let isFull = true; isFull && !by.isOver(); ) isFull = (await this.#swept()) >= SWEPT_AT_ONCE
      this.#isTold = false
    } catch (error) {
      if (!this.#isTold) by.tell(error)
      this.#isTold = true
    }
  }

  async #swept(): Promise<number> {
    this.#isAsking = true
    const asked = answerOf(this.#run, this.#statement, [])
    const over = () => {
      this.#isAsking = false
    }
    asked.then(over, over)
    return Number(await inTime(asked))
  }
}
