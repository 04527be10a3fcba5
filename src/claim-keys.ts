import type { ClaimAnswer, CommitAnswer } from './event-store.ts'
import { isPromise, type MaybePromise, whenKnown } from './lib/maybe-promise.ts'

/** An event claimed by one delivery, with its commit and release. */
export interface Held {
  take(): MaybePromise<ClaimAnswer>
  commit(): Promise<CommitAnswer>
  release(): Promise<boolean>
}

/** One claim for each of an event's keys, of which there are at most two. */
export function holdAll([first, second]: readonly string[], claim: (key: string) => Held): Held {
  if (first === undefined) return UNCLAIMED
  return second === undefined ? claim(first) : new HeldPair(claim(first), claim(second))
}

/** For events without a key: every delivery is new. */
const UNCLAIMED: Held = {
  take: () => 'acquired',
  commit: () => Promise.resolve('committed'),
  release: () => Promise.resolve(true),
}

/** Two keys of one event. The event is new only if both are, and both are committed or released together. */
class HeldPair implements Held {
  readonly #first: Held
  readonly #second: Held

  constructor(first: Held, second: Held) {
    this.#first = first
    this.#second = second
  }

  take(): MaybePromise<ClaimAnswer> {
    return whenKnown(this.#first.take(), (answer) => (answer === 'acquired' ? this.#takeSecond() : answer))
  }

  #takeSecond(): MaybePromise<ClaimAnswer> {
    try {
      const answer = this.#second.take()
      if (!isPromise(answer)) return this.#keepIfBoth(answer)
      return answer.then(
        (late) => this.#keepIfBoth(late),
        (error) => this.#giveBack(error),
      )
    } catch (error) {
      return this.#giveBack(error)
    }
  }

  #keepIfBoth(second: ClaimAnswer): MaybePromise<ClaimAnswer> {
    if (second === 'acquired') return second
    // A release that fails changes nothing: the lease lapses.
    return this.#first.release().then(
      () => second,
      () => second,
    )
  }

  #giveBack(error: unknown): Promise<never> {
    const fail = () => Promise.reject(error)
    return this.#first.release().then(fail, fail)
  }

  async commit(): Promise<CommitAnswer> {
    const [first, second] = await Promise.all([this.#first.commit(), this.#second.commit()])
    if (first === 'lost' || second === 'lost') return 'lost'
    return first === 'already' ? second : first
  }

  async release(): Promise<boolean> {
    const [first, second] = await Promise.all([this.#first.release(), this.#second.release()])
    return first && second
  }
}
