import {
  defineListener,
  hmac,
  type Listener,
  ListenerConfigError,
  type Verdict,
  verify,
  type WebhookEvent,
} from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { DeliveryLine, Line, ListenerSetup, SettleLine } from './lines.ts'

/** hookgate's answers to all lines. */
export async function askHookgate(lines: readonly Line[]): Promise<string[]> {
  const hookgate = new Hookgate()
  const answers: string[] = []
  for (const line of lines) answers.push(await hookgate.answer(line))
  return answers
}

class Hookgate {
  #nowMs = 0
  #listener: Listener | undefined
  #events: (WebhookEvent | undefined)[] = []
  readonly #clock = { now: () => this.#nowMs }
  readonly #stores = new Map<number, ReturnType<typeof memoryStore>>()

  async answer(line: Line): Promise<string> {
    if ('listener' in line) return this.#configure(line.listener)
    this.#nowMs = line.nowMs
    if (this.#listener === undefined) return 'no listener'
    return 'deliver' in line ? inWords(await this.#deliver(line, this.#listener)) : await this.#settle(line)
  }

  #configure({ id, store: number, allowedCidrs, ...setup }: ListenerSetup): string {
    this.#listener = undefined
    this.#events = []
    const store = this.#stores.get(number) ?? memoryStore({ clock: this.#clock })
    this.#stores.set(number, store)
    const networks = allowedCidrs === undefined ? {} : { allowedCidrs }
    try {
      this.#listener = defineListener({ id, store, clock: this.#clock, auth: authOf(setup), ...networks })
    } catch (error) {
      if (error instanceof ListenerConfigError) return 'refused'
      throw error
    }
    return 'configured'
  }

  async #deliver({ deliver }: DeliveryLine, listener: Listener): Promise<Verdict> {
    const { method, headers, sourceIp } = deliver
    const header = (name: string) => headers[name]
    const body = Buffer.from(deliver.body, 'base64')
    const verdict = await verify({ method, header, body, sourceIp }, listener)
    this.#events.push(verdict.ok ? verdict.event : undefined)
    return verdict
  }

  async #settle({ settle, verb }: SettleLine): Promise<string> {
    const event = this.#events[settle]
    if (event === undefined) return 'nothing to settle'
    this.#events[settle] = undefined
    if (verb === 'commit') return event.commit()
    return (await event.release()) ? 'released' : 'nothing left'
  }
}

function authOf({ hmac: secrets, jwt: setup }: Omit<ListenerSetup, 'id' | 'store'>) {
  if (setup === undefined) return hmac({ secrets: secrets ?? [] })
  const { jwks, ...names } = setup
  return jwt({ ...names, keySet: localKeySet(jwks) })
}

function inWords(verdict: Verdict): string {
  if (!verdict.ok) return `${verdict.status} ${verdict.reason}`
  const { id, auth } = verdict.event
  return `accepted ${id} ${'keyId' in auth ? auth.keyId : 'secretId' in auth && auth.secretId}`
}
