import type { Lease } from './claim.ts'
import { type ClaimAnswer, RENEW_ANSWERS, type RenewAnswer } from './event-store.ts'
import { CLAIM, type StoreCall } from './store-call.ts'

const RENEW: StoreCall<RenewAnswer> = {
  name: 'renew',
  answers: RENEW_ANSWERS,
  ask: (key, { listener: { store, leaseMs }, owner }) =>
    store.renew ? store.renew(key, owner, leaseMs) : false,
}

/** The longest time between two looks at a running handler. */
const BEAT_MS = 1000

/** How often a lease must be looked at, in milliseconds. */
export const beatMsOf = ({ listener }: Lease): number => Math.min(BEAT_MS, listener.leaseMs / 4)

/** Statuses of timeouts. The handler may still be running, so no other delivery may start before the lease ends. */
export const MAY_STILL_RUN: readonly number[] = [408, 503, 504]

/** Why a lease ends whose renewal has found no other cause. */
const PAUSED = 'the process was paused, or the store away'

/** Before the first beat. `warn` is told of a loss too. */
export function startBeating(lease: Lease, warn: NonNullable<Lease['warn']>): void {
  lease.warn = warn
  lease.whyNotRenewed = PAUSED
}

/**
 * Looks after the lease of a running handler: renews it once half of it has passed, and again if that failed. Returns whether it is
 * still held, and not settled.
 */
export function beat(lease: Lease): boolean {
  if (lease.lost || lease.isSettled) return false
  const { settling } = lease
  if (settling) {
    const onFailure = () => {
      if (lease.settling === settling) lease.settling = undefined // the lease is held on
    }
    settling.then(() => {
      lease.isSettled = true
    }, onFailure)
    return true
  }
  if (lease.judge()) return false
  const { leaseMs, maxRunMs } = lease.listener
  const now = lease.clock.now()
  if (now - lease.claimedAt >= maxRunMs) {
    lease.lose('ERR_RUN_TOO_LONG', `the handler ran longer than maxRunSeconds (${maxRunMs / 1000})`)
    return false
  }
  const isDue = now - lease.heldSince >= leaseMs / 2
  if (isDue && lease.renewing === undefined && lease.isRenewable) lease.renewing = renew(lease, now)
  return true
}

/** After `commit(tx)`, a claim tells an event that is done by now from one that is lost. */
async function renew(lease: Lease, startedAt: number): Promise<void> {
  const first = await lease.askForEach<ClaimAnswer | RenewAnswer>(RENEW)
  const isAsked = lease.joined?.isDone && first.answers.includes(false)
  const { answers, failure } = isAsked ? await lease.askForEach(CLAIM) : first
  lease.renewing = undefined
  if (failure) lease.problem = failure.reason // it is tried again until the lease has ended
  const isLocked = answers.includes('locked')
  lease.whyNotRenewed = isLocked ? 'an open transaction has locked its record' : PAUSED
  if (answers.includes('done') && lease.settling === undefined) {
    lease.answer = 'already'
    lease.settling = Promise.resolve()
    return
  }
  if (lease.judge()) return
  if (answers.includes(false) || answers.includes('busy'))
    lease.lose('ERR_LEASE_LOST', `the store had ended the lease ${lease.ranFor()}`)
  // What the handler's own transaction has locked, nobody else can have.
  else if (failure === undefined && (!isLocked || lease.joined)) lease.heldSince = startedAt
}
