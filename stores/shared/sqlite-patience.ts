import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/** How long a statement is asked again while others keep the database locked: half of `storeTimeoutSeconds`. */
const PATIENCE_MS = 1000
/** Between two attempts, of which there is one for all who wait. */
const PAUSE_MS = 5

/**
 * The same connection, which waits for a lock of another process by asking again: SQLite's own wait (`busy_timeout`)
 * stops the thread, and with it everything that this process does.
 */
export function waitingOutLocks(connection: SqliteConnection): SqliteConnection {
  const patience = new Patience()
  return {
    all: (sql, values) => patience.ask(() => connection.all(sql, values)),
    run: (statements) => patience.ask(() => connection.run(statements)),
    isLocal: connection.isLocal,
  }
}

/** What was busy changed nothing, so that it may be asked again. */
class Patience {
  /** There while the database was locked a moment ago. */
  #pause: Promise<void> | undefined

  ask<T>(work: () => MaybePromise<T>): MaybePromise<T> {
    const until = performance.now() + PATIENCE_MS
    if (this.#pause !== undefined) return this.#askAgain(work, until)
    const afterPause = (error: unknown) => {
      if (!isBusy(error)) throw error
      this.#startPause()
      return this.#askAgain(work, until)
    }
    try {
      const answer = work()
      return answer instanceof Promise ? answer.catch(afterPause) : answer
    } catch (error) {
      return afterPause(error)
    }
  }

  async #askAgain<T>(work: () => MaybePromise<T>, until: number): Promise<T> {
    for (;;) {
      while (this.#pause !== undefined && performance.now() < until) await this.#pause
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) throw error
        this.#startPause()
      }
    }
  }

  #startPause(): void {
    this.#pause ??= new Promise((resolve) => {
      setTimeout(() => {
        this.#pause = undefined
        resolve()
      }, PAUSE_MS)
    })
  }
}

/** SQLITE_BUSY and its extended codes, which drivers keep in different places; all of them have the words. */
function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(`${Reflect.get(Object(error), 'code')} ${error}`)
}
