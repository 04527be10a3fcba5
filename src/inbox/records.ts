import { EventStoreError } from '../errors.ts'
import { textOf } from '../lib/member-of.ts'
import { afterwards, unlessAnswered } from '../lib/timers.ts'
import { converted, POSTGRES } from '../stores/answer.ts'
import { keyText, milliseconds } from '../stores/postgres/statements.ts'
import { type Asking, answerOf, recordsOf } from './ask.ts'
import { Together } from './together.ts'

/** An attempt at a job, as the table has it. */
export interface Attempt {
  readonly key: string
  readonly owner: string
  readonly worker: string
  /** Whether the processes of earlier attempts died: it stays so when it is given back. */
  readonly suspect: boolean
}

/** An attempt whose lease is renewed. */
export interface Held extends Attempt {
  /** Whether it has started, and so counts. */
  readonly begun: boolean
}

/** How an attempt has ended. */
export interface End extends Attempt {
  /** For how long it is remembered, or until it runs again. */
  readonly ms: string
  /** Absent if it has succeeded. */
  readonly error?: string
  /** From so many attempts on, it is dead. */
  readonly most?: number
}

/** What an end or a renewal answers of a job that another transaction has locked. */
export const LOCKED = 'locked'

/** How long a statement may take: clients are known to hang for a minute. */
export const STATEMENT_MS = 10_000

interface RecordsOptions extends Asking {
  readonly listenerId: string
  readonly leaseMs: number
  /** Called before leases are renewed: others may be renewed along with them. */
  readonly onRenewal: () => void
}

/** What becomes of the attempts of one worker, in the table: of several at once by one statement, which answers for each. */
export class Records {
  readonly #options: RecordsOptions
  readonly #ends: Together<End, string>
  readonly #renewals: Together<Held, string>

  constructor(options: RecordsOptions) {
    this.#options = options
    const { leaseMs, onRenewal, statements } = options
    this.#ends = new Together((ends) => this.#each(statements.end, ends))
    const renew = (attempts: readonly Held[]) =>
      this.#each(statements.renewRuns, attempts, milliseconds(leaseMs))
    this.#renewals = new Together((attempts) => firstOf(() => renew(attempts), leaseMs / 4), onRenewal)
  }

  /** Answers `done`, `waiting`, `dead`, `already` if another run had done it, `none` if it is forgotten, or `locked`. */
  end(end: End): Promise<string> {
    return this.#ends.ask(end)
  }

  /** The same, but waits for another transaction, for a second at most. */
  async endAlone(end: End): Promise<string> {
    const [answer = ''] = await this.#each(this.#options.statements.endAlone, [end])
    return answer
  }

  /** Renews the lease. Answers `held`, `locked`, `done`, `taken over` by another worker, or `none` if it is forgotten. */
  renew(held: Held): Promise<string> {
    return this.#renewals.ask(held)
  }

  /** What nothing has run uses up no attempt. What another worker has by now stays with it. If it fails, it returns false, and the jobs lapse. */
  async giveBack(attempts: readonly Attempt[]): Promise<boolean> {
    if (attempts.length === 0) return true
    const { listenerId, run, statements } = this.#options
    const asked = [await keyText(listenerId), attemptsText(attempts)]
    return inTime(answerOf(run, statements.giveBack, asked)).then(
      () => true,
      () => false,
    )
  }

  async #each(
    statement: string,
    attempts: readonly Attempt[],
    ...values: readonly string[]
  ): Promise<readonly string[]> {
    const { listenerId, run } = this.#options
    const asked = [await keyText(listenerId), attemptsText(attempts), ...values]
    const records = await inTime(recordsOf(run, statement, asked))
    const answers = new Map(records.map((record) => [textOf(record, 'key'), textOf(record, 'answer')]))
    return attempts.map(({ key }) => {
      const answer = answers.get(key)
      if (answer === undefined) throw converted('another text', POSTGRES)
      return answer
    })
  }
}

const attemptsText = (attempts: readonly Attempt[]) => JSON.stringify(attempts)

/**
 * Asks a second time, beside the first, if there is no answer for so long: its connection may hang, which should cost no lease. It may also be
 * the only one, and busy in the app's transaction, so the first goes on.
 */
function firstOf<Result>(ask: () => Promise<Result>, patienceMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    let pending = 1
    const failed = (error: unknown) => {
      pending -= 1
      if (pending > 0) return
      clearTimeout(timer)
      reject(error)
    }
    const timer = afterwards(patienceMs, () => {
      pending += 1
      ask().then(resolve, failed)
    })
    ask().then((answer) => {
      clearTimeout(timer)
      resolve(answer)
    }, failed)
  })
}

/** Keeps no process alive. @throws EventStoreError if there is no answer for a long time. */
export async function inTime<Result>(
  asked: Promise<Result>,
  milliseconds: number = STATEMENT_MS,
): Promise<Result> {
  let answered = () => {}
  const late = new Promise<never>((_, reject) => {
    answered = unlessAnswered(milliseconds, () =>
      reject(new EventStoreError(`the inbox got no answer within ${Math.round(milliseconds)} ms`)),
    )
  })
  try {
    return await Promise.race([asked, late])
  } finally {
    answered()
  }
}
