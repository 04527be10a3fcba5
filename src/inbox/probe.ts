import { converted, POSTGRES } from '../stores/answer.ts'
import type { RunStatement } from '../stores/postgres/client.ts'
import { type Asking, recordsOf } from './ask.ts'
import { inTime } from './records.ts'
import { PROBE } from './statements.ts'

/** Whether the client returns what the server answers: one that changes it would use up the attempts of each job. */
export class Probe {
  readonly #run: RunStatement
  readonly #statement: string
  #isPassed = false

  constructor({ run, statements }: Asking) {
    this.#run = run
    this.#statement = statements.probe
  }

  /** Asks before the first job, and again after each failure. @throws EventStoreError if the client changes the answer. */
  async pass(): Promise<void> {
    if (this.#isPassed) return
    const found = await inTime(recordsOf(this.#run, this.#statement, [PROBE.text]))
    if (JSON.stringify(found) !== JSON.stringify([PROBE, PROBE])) throw converted('another text', POSTGRES)
    this.#isPassed = true
  }

  fail(): void {
    this.#isPassed = false
  }
}
