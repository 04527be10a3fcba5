import { problemCode } from '../../../sender/judge.ts'
import type { SignedRequest } from '../../../src/signing/sign.ts'
import type { ProbeAnswer, Prober } from './probe.ts'

/** Well formed but wrong: a delivery with it is never accepted, so no event is claimed. */
const NO_SIGNATURE = 'A'.repeat(43)

/** The endpoint that the user named. */
export class ReceiverProbe {
  readonly url: URL
  readonly #prober: Prober

  constructor(url: URL, prober: Prober) {
    this.url = url
    this.#prober = prober
  }

  /** Sends a POST without a body and without Webhook-* headers. */
  askEmpty(): Promise<ProbeAnswer> {
    return this.#prober.ask(this.url, { method: 'POST' })
  }

  /** Sends a delivery as it is. */
  send({ headers, body }: SignedRequest): Promise<ProbeAnswer> {
    return this.#prober.ask(this.url, { method: 'POST', headers, body })
  }

  /** Sends a delivery in the specification's form. @param skew Seconds to add to its time. @param headers Override its own. */
  async deliver(body: string, skew: number, headers: ProbeAnswer['headers'] = {}): Promise<ProbeAnswer> {
    return await this.#prober.ask(this.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-timestamp': `${Math.floor(Date.now() / 1000) + skew}`,
        'webhook-event-id': crypto.randomUUID(),
        'webhook-signature': NO_SIGNATURE,
        ...(headers as { readonly [name: string]: string }), // ours, each with one value
      },
    })
  }
}

/** The `code` of hookgate's problem+json. Undefined if something else answered. */
export function problemCodeOf({ headers, bytes }: ProbeAnswer): string | undefined {
  return headers['content-type']?.startsWith('application/problem+json') ? problemCode(bytes) : undefined
}
