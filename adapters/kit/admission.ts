import { MAX_BODY_BYTES } from '../../src/limits.ts'
import type { Listener } from '../../src/listener.ts'
import type { Incoming } from './incoming.ts'
import type { Refusal } from './outcome.ts'
import { type Place, Places } from './places.ts'
import type { ReceiverOptions } from './receiver-options.ts'
import { BUSY, refuseBusy, refuseSource } from './refuse-early.ts'
import { bytesTooFew } from './set-up-errors.ts'

/**
 * Concurrent bodies from addresses that are not allowed: enough to refuse them properly, too few to cause
 * harm.
 */
const MOST_STRANGERS = 64

/** Limits which bodies are read. */
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

  /** @throws ListenerConfigError if the listener's largest body exceeds `maxConcurrentBytes`. */
  mustFit({ maxBodyBytes }: Listener<unknown>): void {
    if (maxBodyBytes > this.#places.maxBytes) throw bytesTooFew(maxBodyBytes)
  }

  /** Returns a place for a body, or a refusal. */
  admit(incoming: Incoming, listener: Listener<unknown>, sourceIp: string | undefined): Place | Refusal {
    this.mustFit(listener)
    const { maxBodyBytes } = listener
    const bytes = Math.min(incoming.announced ?? maxBodyBytes, maxBodyBytes)
    // An empty address, like an unknown one, is in no network.
    const isStranger = listener.isSourceAllowed?.(sourceIp ?? '') === false
    const places = isStranger ? this.#strangers : this.#places
    const problem = places.fullFor(bytes)
    if (problem === undefined) return places.take(bytes)
    return isStranger
      ? refuseSource(incoming, listener, sourceIp)
      : refuseBusy(problem, incoming, listener, sourceIp)
  }

  /** Like `admit`, while the listener is still unknown: the first bytes of the body are already in memory. */
  admitUnknown({ announced = MAX_BODY_BYTES }: Incoming): Place | Refusal {
    const bytes = Math.min(announced, MAX_BODY_BYTES, this.#places.maxBytes)
    return this.#places.fullFor(bytes) === undefined ? this.#places.take(bytes) : BUSY
  }

  /** Returns a place regardless of the limits, for a body that was admitted before. */
  admitAgain(bytes: number): Place {
    return this.#places.take(bytes)
  }
}
