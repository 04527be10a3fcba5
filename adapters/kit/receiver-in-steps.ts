import { isPromise } from '../../src/lib/maybe-promise.ts'
import type { Listener } from '../../src/listener.ts'
import { nowIfObserved, traceVerify } from '../../src/report.ts'
import type { Handshake, Rejected } from '../../src/verdict.ts'
import type { Verification } from '../../src/verification.ts'
import { check, claim as claimDelivery } from '../../src/verify.ts'
import type { Incoming } from './incoming.ts'
import type { ListenerLookup } from './lookup.ts'
import { type Claimed, type Refusal, refuse, refuseUndecided } from './outcome.ts'
import { createJudge, outcomeOf, type ReceiverOptions, type ReceiverSetup } from './receiver.ts'
import type { Sender } from './seats.ts'

/** Every check passed. Pass it to `claim` of the receiver before the handler runs. */
export interface Checked {
  /** The parsed body, or the output of the `payload` schema. */
  readonly payload: unknown
  /** Always undefined. Declared so that `checked.reply` singles out refusals. */
  readonly reply?: undefined
  /** Only for the receiver. */
  readonly [UNCLAIMED]: {
    readonly verification: Verification
    readonly sender: Sender
    /** How long the checks took. What runs between them and the claim does not count. */
    readonly elapsedMs: number
  }
}

const UNCLAIMED: unique symbol = Symbol('hookgate')

/** What the checks know of a request, for the tools of hookgate. */
export function verificationOf(checked: Checked): Verification {
  return checked[UNCLAIMED].verification
}

/** A receiver for frameworks that run hooks between the checks and the claim. Its verbs resolve and reject as a `Receiver` does. */
export interface ReceiverInSteps<Request, Given extends Listener<unknown> = Listener> {
  /** Finds the listener, reads the body, and checks the delivery. */
  receive(request: Request, incoming: Incoming): Promise<Checked | Refusal>
  /**
   * Claims the event of what `receive` has passed. Run the handler with the event, and settle it. `key`: claims this key instead of
   * the event's own, e.g. to run an event again.
   */
  claim(checked: Checked, key?: string): Promise<Claimed<Given> | Refusal>
}

/** Throws as `createReceiver` does. */
export function createReceiverInSteps<Request extends object, Given extends Listener<unknown>>(
  target: Given | ListenerLookup<Request, Given>,
  options?: ReceiverOptions,
  setup?: ReceiverSetup<Request>,
): ReceiverInSteps<Request, Given> {
  const { seats, judge } = createJudge(target, options, setup)
  return { receive, claim }

  function receive(request: Request, incoming: Incoming): Promise<Checked | Refusal> {
    return judge<Rejected | Handshake | undefined, Checked>(
      request,
      incoming,
      check,
      (stop, verification) => {
        if (stop) return refuse(stop, verification)
        const elapsedMs = verification.durationMs
        return { payload: verification.payload, [UNCLAIMED]: { verification, sender: incoming, elapsedMs } }
      },
    )
  }

  async function claim(checked: Checked, key?: string): Promise<Claimed<Given> | Refusal> {
    const { verification, sender, elapsedMs } = checked[UNCLAIMED]
    const seat = seats.grant(sender, verification.delivery.body.byteLength)
    seat.holds(verification)
    verification.seat = seat
    const now = nowIfObserved(verification.listener)
    verification.startedAt = now && now - elapsedMs
    if (key !== undefined) verification.claimKeys = [key]
    try {
      const asked = traceVerify(verification, claimDelivery)
      return outcomeOf<Given>(isPromise(asked) ? await asked : asked, verification)
    } catch (error) {
      const refusal = refuseUndecided(error, verification)
      if (refusal) return refusal
      throw error
    } finally {
      seat.leave()
    }
  }
}
