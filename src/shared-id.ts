import { ListenerConfigError } from './errors.ts'
import type { EventStore } from './event-store.ts'
import type { Listener } from './listener.ts'

/** What is known of a listener that claims. Does not refer to it, so that it can be collected. */
interface Claimant {
  readonly sender: string
  /** No other listener with its ID has claimed since. */
  isLatest: boolean
  /** Another one was loaded in its place, so what still claims for it began before. */
  isReplaced: boolean
}

/** The last claimant under an ID, or `told` once the operator knows that several listeners share it. */
type Use = Claimant | 'told'

const claimants = /* @__PURE__ */ new WeakMap<Listener<unknown>, Claimant>()
const usesOf = /* @__PURE__ */ new WeakMap<EventStore, Map<string, Use>>()
/** The IDs to watch for one store. If there are more, e.g. one for each tenant, the oldest are no longer watched. */
const MOST_IDS = 1000

/**
 * Returns whether another listener with its ID and store is at work, so that what one has handled is a duplicate for the other: true once,
 * for the operator to be told. Two are at work if they are of different senders, or if one claims again after the other: a listener that
 * was only replaced, e.g. by a reload, does not come back.
 */
export function noteClaim(listener: Listener<unknown>): boolean {
  const known = claimants.get(listener)
  if (known?.isLatest || known?.isReplaced) return false
  const claimant = known ?? newClaimant(listener)
  const { id, store } = listener
  const uses = usesOf.get(store) ?? new Map<string, Use>()
  usesOf.set(store, uses)
  const latest = uses.get(id)
  claimant.isLatest = true
  if (latest === 'told') return false
  if (latest) latest.isLatest = false
  else if (uses.size >= MOST_IDS) uses.delete(uses.keys().next().value ?? '')
  const isShared = latest && !latest.isReplaced && (known || latest.sender !== claimant.sender)
  uses.set(id, isShared ? 'told' : claimant)
  return Boolean(isShared)
}

/** Another listener was loaded in the place of this one. */
export function noteReplaced(listener: Listener<unknown>): void {
  const claimant = claimants.get(listener) ?? newClaimant(listener)
  claimant.isReplaced = true
}

function newClaimant(listener: Listener<unknown>): Claimant {
  const { auth, protocol } = listener
  const sender = `${auth.method} ${protocol.scheme?.name}`
  const claimant = { sender, isLatest: false, isReplaced: false }
  claimants.set(listener, claimant)
  return claimant
}

/** What to tell the operator. */
export function sharedId({ id }: Listener<unknown>): ListenerConfigError {
  const problem =
    'is the id of two listeners with one store, so that an event which one has handled is a duplicate for the other: give each its own'
  return new ListenerConfigError('id', `${JSON.stringify(id)} ${problem}`)
}
