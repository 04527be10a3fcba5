import type { Answer, Prober } from './probe.ts'

/** Shaped like a signature, and no one's: what carries it is never accepted, so no event is claimed. */
const NO_SIGNATURE = 'A'.repeat(43)

/** The endpoint that the user named. */
export class Receiver {
  readonly url: URL
  readonly #prober: Prober

  constructor(url: URL, prober: Prober) {
    this.url = url
    this.#prober = prober
  }

  /** A POST without headers of ours, and without a body. */
  askEmpty(): Promise<Answer> {
    return this.#prober.ask(this.url, { method: 'POST' })
  }

  /** A delivery in the specification's form, or another one's headers. @param skew Seconds to add to its time. */
  async deliver(body: string, skew: number, headers: Answer['headers'] = {}): Promise<Answer> {
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

/** `code` of a problem+json answer: hookgate's own. Undefined for the answer of anything else. */
export function problemCode({ headers, bytes }: Answer): string | undefined {
  if (!headers['content-type']?.startsWith('application/problem+json')) return undefined
  try {
    const { code } = Object(JSON.parse(bytes.toString('utf8')))
    return typeof code === 'string' && /^[a-z0-9_]{1,40}$/.test(code) ? code : undefined
  } catch {
    return undefined
  }
}
