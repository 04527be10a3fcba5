import type { Join, Joined, Lease } from './claim.ts'
import { EventStoreError, LeaseLostError, ListenerConfigError } from './errors.ts'
import type { CommitAnswer, CommitIn } from './event-store.ts'
import { memberOf, textOf } from './lib/member-of.ts'
import { ask, CLAIM, type StoreCall } from './store-call.ts'

/**
 * Makes the `commitIn` of a store: brings what `event.commit(tx)` needs, so that programs whose stores join no transaction do without it.
 * If you wrap a store, pass its `commitIn` on as it is.
 *
 * @example
 * ```ts
 * const commitIn = inTransaction(async (tx, key, owner, retentionMs) => {
 *   await commitOrFail(tx, key, owner, retentionMs)
 *   return 'committed'
 * })
 * ```
 *
 * @param commit See `EventStore`.
 */
/* @__NO_SIDE_EFFECTS__ */
export function inTransaction(commit: Commit): CommitIn {
  const join: Join = (lease, tx) => {
    if (!tx) return Promise.reject(new ListenerConfigError('tx', NO_TRANSACTION))
    const transaction = new Transaction(lease, commit, tx)
    lease.joined = transaction
    return transaction.committing
  }
  return Object.assign((...given: Parameters<Commit>) => commit(...given), { join })
}

type Commit = (...given: Parameters<CommitIn>) => Promise<'committed'>

/**
 * In a transaction of the app, which bounds it, and gets its own mistakes as they are: what is given up here would still run there. A loss
 * is an answer here, so that subscribers of the channel hear it.
 */
const commitIn = (commit: Commit, tx: object, onLost: (error: unknown) => void): StoreCall<CommitAnswer> => ({
  name: 'commit',
  answers: ['committed', 'lost'],
  isOfApp: true,
  async ask(key, { listener: { retentionMs: longestMs }, owner, retentionMs = longestMs }) {
    try {
      return await commit(tx, key, owner, Math.min(retentionMs, longestMs))
    } catch (error) {
      if (memberOf(error, 'code') !== 'ERR_LEASE_LOST') throw error
      onLost(error)
      return 'lost'
    }
  },
})

class Transaction implements Joined {
  readonly #lease: Lease
  readonly committing: Promise<CommitAnswer>
  isDone: boolean

  constructor(lease: Lease, commit: Commit, tx: object) {
    this.#lease = lease
    this.isDone = lease.joined?.isDone ?? false
    this.committing = this.#commit(commit, tx, lease.settling ?? lease.joined?.committing)
  }

  async #commit(commit: Commit, tx: object, before: Promise<unknown> | undefined): Promise<CommitAnswer> {
    try {
      await before
    } catch {} // it was told then
    let loss: unknown
    const call = commitIn(commit, tx, (error) => {
      loss = error
    })
    for (const key of this.#lease.keys) {
      if ((await ask(call, this.#lease, key)) === 'lost') throw this.#lost(loss) // a transaction takes one statement at a time
    }
    this.isDone = true
    return 'committed'
  }

  #lost(cause: unknown): LeaseLostError {
    const { answer, lost } = this.#lease
    const because = (answer ? SETTLED_BEFORE[answer] : textOf(cause, 'message')) ?? 'the store answered lost'
    if (lost === undefined) this.#lease.lose('ERR_LEASE_LOST', because, '')
    return new LeaseLostError('ERR_LEASE_LOST', because, { cause })
  }

  /**
   * A claim of the same owner finds the event done if the transaction was committed, and otherwise only keeps its lease. While that
   * transaction is open, it finds the event locked, and is asked again.
   */
  async ask(): Promise<CommitAnswer> {
    const lease = this.#lease
    const { leaseMs, storeTimeoutMs } = lease.listener
    const until = lease.clock.now() + storeTimeoutMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const { answers, failure } = await lease.askForEach(CLAIM)
      if (failure) throw failure.reason
      if (answers.includes('acquired')) break
      if (!answers.includes('busy')) {
        lease.answer = 'already'
        return 'already'
      }
      if (lease.lost || lease.clock.now() - lease.heldSince > leaseMs) {
        lease.tellTooLate(true)
        return 'lost'
      }
      if (lease.clock.now() >= until) throw new EventStoreError(STILL_OPEN)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    await lease.releaseNow()
    throw new EventStoreError(ROLLED_BACK)
  }
}

const NO_TRANSACTION =
  'is missing: commit(tx) takes the client of your open transaction. To commit without one, call commit() without arguments'
/** Why `commit(tx)` is too late if this lease has settled the event itself. */
const SETTLED_BEFORE: { readonly [answer in CommitAnswer]?: string } = {
  already:
    'commit(tx) came after the event was committed, e.g. by a 2xx: end your transaction before you answer',
  lost: 'commit(tx) came after the event was released, e.g. by an answer that was no 2xx: end your transaction before you answer',
}

/** Before the handler's transaction is asked about again. */
const FIRST_PAUSE_MS = 10
const ROLLED_BACK =
  'the handler succeeded, but the transaction of its commit(tx) was not committed: the event was released, and runs again when it is sent again'
const STILL_OPEN =
  'the handler succeeded, but the transaction of its commit(tx) is still open: await its end before you answer'
