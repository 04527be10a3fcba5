import { abandon, wasAbandoned } from '#crypto'
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
    const { body } = verification.delivery
    if (body.byteLength <= MAX_BODY_BYTES) return
    place.onAbandoned = () => {
      if (verification.auth === undefined) abandon(body)
    }
  }

  /** The work on a long body ends when its sender leaves: strangers could have more hashed than they hold connections for. */
  wait<Value>(promise: PromiseLike<Value>): PromiseLike<Value> {
    const waited = this.place.during(promise, this.incoming)
    return this.place.onAbandoned ? this.#waitWithLongBody(waited) : waited
  }

  /** Holds nothing parsed until the sender is known: it can take 28 times the memory of its bytes, and strangers can keep many waiting. */
  async #waitWithLongBody<Value>(waited: Promise<Value>): Promise<Value> {
    const { verification } = this
    const isStranger = verification.auth === undefined
    if (isStranger) verification.payload = undefined
    try {
      const value = await waited
      if (isStranger && verification.auth) verification.payload ??= verification.keepParsed()
      return value
    } catch (error) {
      if (!wasAbandoned(error)) throw error
      return SENDER_LEFT as Value // what a check answers; nothing is hashed after the checks
    }
  }
}

const SENDER_LEFT = fail('body_incomplete', 'the connection ended before the signature was computed')
