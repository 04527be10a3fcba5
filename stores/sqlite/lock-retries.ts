import type { SqliteConnection } from './connection.ts'

/** How long to retry while the database is locked: half of the default `storeTimeoutSeconds`. */
const LONGEST_MS = 1000
/** Pause between two attempts, shared by all waiters. */
const PAUSE_MS = 5

/**
 * Wraps a connection to retry while another process holds a lock. SQLite's own wait (`busy_timeout`) blocks the thread, and
 * with it the whole process.
 */
export function retryingWhenLocked(connection: SqliteConnection): SqliteConnection {
  const retries = new LockRetries()
  return {
    all: (sql, values) => retries.run(() => connection.all(sql, values)),
    run: (statements) => retries.run(() => connection.run(statements)),
    isLocal: connection.isLocal,
  }
}

/** Retries busy statements. They are safe to retry, because they changed nothing. */
class LockRetries {
  /** Set for a moment after the database was found locked. */
  #pause: Promise<void> | undefined

  async run<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + LONGEST_MS
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

/** Matches SQLITE_BUSY and its extended codes, in `code` or the message, depending on the driver. */
function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(`${Reflect.get(Object(error), 'code')} ${error}`)
}
