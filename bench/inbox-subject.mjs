import { inbox } from 'hookgate/inbox'
import pg from 'pg'

const AT_ONCE = 10

/** hookgate's inbox, for `queueRates`. `store` is the one of the listener, whose events are put. */
export async function inboxSubject(address) {
  const pool = new pg.Pool({ ...address, max: AT_ONCE })
  const box = inbox(pool)
  await box.migrate()
  return {
    name: 'hookgate/inbox',
    store: box.store,
    put: (event) => box.put(event),
    /** Returns a function that stops the worker. */
    work(listener, handler) {
      const worker = box.work(listener, handler, { concurrency: AT_ONCE, pollMs: 50 })
      return () => worker.stop()
    },
    close: () => pool.end(),
  }
}
