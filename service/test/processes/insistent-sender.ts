import { setTimeout as pause } from 'node:timers/promises'
import { signHmac } from 'hookgate/testing'

/** The replies to deliveries. */
export interface Answers {
  accepted: number
  duplicate: number
  inProgress: number
  unavailable: number
  unanswered: number
  other: number
}

export const noAnswers = (): Answers => ({
  accepted: 0,
  duplicate: 0,
  inProgress: 0,
  unavailable: 0,
  unanswered: 0,
  other: 0,
})

/** The longest wait after a refusal. Retry-After can only shorten it, so that the test ends. */
const LONGEST_PAUSE_MS = 300

/**
 * A sender that follows the specification. It signs each attempt anew, treats 200 and `event_duplicate` as success, and
 * retries everything else.
 */
export class InsistentSender {
  readonly answers: Answers = noAnswers()
  readonly #secret: string
  readonly #url: () => string

  /** @param url The current URL of the service. */
  constructor(secret: string, url: () => string) {
    this.#secret = secret
    this.#url = url
  }

  /** Delivers an event until the service has confirmed it. */
  async deliver(eventId: string, body: string): Promise<void> {
    for (;;) {
      const answer = await this.attempt(eventId, body)
      this.answers[answer] += 1
      if (answer === 'accepted' || answer === 'duplicate') return
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }

  async attempt(eventId: string, body: string): Promise<keyof Answers> {
    const request = await signHmac({ secret: this.#secret, body, eventId })
    try {
      const reply = await fetch(this.#url(), { ...request, signal: AbortSignal.timeout(20_000) })
      const { code } = JSON.parse(await reply.text())
      if (reply.status === 200) return 'accepted'
      if (code === 'event_duplicate') return 'duplicate'
      if (code === 'event_in_progress') return 'inProgress'
      return reply.status === 503 ? 'unavailable' : 'other'
    } catch {
      return 'unanswered' // the service was killed before or during its answer
    }
  }
}
