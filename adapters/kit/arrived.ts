import { ABANDONED, abandon } from '../../src/lib/turns.ts'
import { MAX_BODY_BYTES } from '../../src/limits.ts'
import { fail } from '../../src/reason.ts'
import type { Verification, Waiter } from '../../src/verification.ts'
import type { BodyInFlight } from './bodies-in-flight.ts'
import type { Incoming } from './incoming.ts'

/** A delivery whose body has arrived. Its place among the bodies in flight is kept until the verdict. */
export class Arrived implements Waiter {
  readonly verification: Verification
  readonly incoming: Incoming
  readonly place: BodyInFlight
  readonly reply?: undefined

  constructor(verification: Verification, incoming: Incoming, place: BodyInFlight) {
    this.verification = verification
    this.incoming = incoming
    this.place = place
  }

  wait<Value>(promise: PromiseLike<Value>): PromiseLike<Value> {
    const { delivery, auth } = this.verification
    const isLong = auth === undefined && delivery.body.byteLength > MAX_BODY_BYTES
    return isLong ? this.#waitForSignature(promise) : this.place.during(promise, this.incoming)
  }

  /** Ends the work on a long body when its sender leaves: strangers could have more hashed than they hold connections for. */
  async #waitForSignature<Value>(promise: PromiseLike<Value>): Promise<Value> {
    let isOver = false
    this.incoming.whenGone(() => {
      if (!isOver) abandon(this.verification.delivery.body)
    })
    try {
      return await this.place.during(promise, this.incoming)
    } catch (error) {
      if (error !== ABANDONED) throw error
      return SENDER_LEFT as Value // what a check answers; nothing else is awaited before a delivery is authentic
    } finally {
      isOver = true
    }
  }
}

const SENDER_LEFT = fail('body_incomplete', 'the connection ended before the signature was computed')
