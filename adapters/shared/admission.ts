import { MAX_BODY_BYTES } from '../../src/limits.ts'
import type { Listener } from '../../src/listener.ts'
import type { Incoming } from './incoming.ts'
import { BUSY, type Refusal, refuseBusy, refuseSource } from './outcome.ts'
import { type Place, Places } from './places.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { bytesTooFew } from './set-up-errors.ts'

/** Bodies at once from addresses that are not allowed: enough to answer them in order, too few to be in the way. */
const MOST_STRANGERS = 64

/** Which bodies are read: as many as have a place. */
export class Admission {
  readonly #places: Places
  readonly #strangers: Places

  constructor(
    { maxConcurrentBodies = 4096, maxConcurrentBytes = 268_435_456 }: ReceiverOptions,
    graceMs: number,
  ) {
    this.#places = new Places(maxConcurrentBodies, maxConcurrentBytes, graceMs)
    this.#strangers = new Places(MOST_STRANGERS, MOST_STRANGERS * MAX_BODY_BYTES, graceMs)
  }

  /** @throws ListenerConfigError for a listener whose largest body has no room. */
  mustFit({ maxBodyBytes }: Listener<unknown>): void {
    if (maxBodyBytes > this.#places.maxBytes) throw bytesTooFew(maxBodyBytes)
  }

  /** A place for a body, or the refusal of one that has to stay out. */
  admit(incoming: Incoming, listener: Listener<unknown>, sourceIp: string | undefined): Place | Refusal {
    this.mustFit(listener)
    const { maxBodyBytes } = listener
    const bytes = Math.min(incoming.announced ?? maxBodyBytes, maxBodyBytes)
    // An unknown address is in no network, like the empty one.
    const isStranger = listener.isSourceAllowed?.(sourceIp ?? '') === false
    const places = isStranger ? this.#strangers : this.#places
    const problem = places.fullFor(bytes)
    if (problem === undefined) return places.take(bytes)
    return isStranger ? refuseSource(incoming, listener, sourceIp) : refuseBusy(problem, listener)
  }

  /** The same while its listener is not known: the first bytes of its body are in memory already. */
  admitUnknown({ announced = MAX_BODY_BYTES }: Incoming): Place | Refusal {
    const bytes = Math.min(announced, MAX_BODY_BYTES, this.#places.maxBytes)
    return this.#places.fullFor(bytes) === undefined ? this.#places.take(bytes) : BUSY
  }

  /** A place beyond the limits, for a body that has had one before. */
  admitAgain(bytes: number): Place {
    return this.#places.take(bytes)
  }
}
