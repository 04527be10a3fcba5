import { ListenerConfigError } from './errors.ts'
import type { EventStore } from './event-store.ts'
import { callHook } from './lib/hooks.ts'
import type { Listener } from './listener.ts'

/** What is known of a listener that claims. Does not refer to it, so that it can be collected. */
interface Claimant {
  readonly sender: string
  /** No other listener with its ID has claimed since. */
  isLatest: boolean
  /** Another one was loaded in its place, so what still claims for it began before. */
  isReplaced: boolean
}

/** Who claimed last under an ID, or that its listeners have been told of. */
type Use = Claimant | 'told'

const claimants = /* @__PURE__ */ new WeakMap<Listener<unknown>, Claimant>()
const usesOf = /* @__PURE__ */ new WeakMap<EventStore, Map<string, Use>>()
/** Of one store. When there are more, e.g. of tenants, those that came first are no longer watched. */
const MOST_IDS = 1000

/**
 * Tells the operator once of two listeners with one ID and one store, because what one has handled is a duplicate for the other, without
 * a line. Two listeners are at work if they are of different senders, or if one claims again after the other: a listener that was only
 * replaced, e.g. by a reload, does not come back.
 */
export function noteClaim(listener: Listener<unknown>): void {
  const known = claimants.get(listener)
  if (known?.isLatest || known?.isReplaced) return
  const claimant = known ?? newClaimant(listener)
  const { id, store } = listener
  const uses = usesOf.get(store) ?? new Map<string, Use>()
  usesOf.set(store, uses)
  const latest = uses.get(id)
  claimant.isLatest = true
  if (latest === 'told') return
  if (latest) latest.isLatest = false
  else if (uses.size >= MOST_IDS) uses.delete(uses.keys().next().value ?? '')
  const isShared = latest && !latest.isReplaced && (known || latest.sender !== claimant.sender)
  uses.set(id, isShared ? 'told' : claimant)
  if (isShared) tell(listener)
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

function tell({ id, onError }: Listener<unknown>): void {
  const problem =
    'is the id of two listeners with one store, so that an event which one has handled is a duplicate for the other: give each its own'
  const error = new ListenerConfigError('id', `${JSON.stringify(id)} ${problem}`)
  if (onError === undefined) callHook(() => console.warn(`hookgate: ${error.message}`)) // a replaced console may throw
  callHook(onError, error, { listenerId: id, durationMs: 0 })
}
