import {
  type Authenticator,
  defineListener,
  type ListenerOptions,
  type Verdict,
  verify,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type FakeClock, fakeClock } from './clock.ts'

/** A request as a test writes it. Header names are in lower case. */
export interface Received {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly body: string | Uint8Array
  readonly sourceIp?: string | undefined
}

export interface SchemeReceiver {
  readonly clock: FakeClock
  receive(request: Received): Promise<Verdict>
}

/** A listener with a sender's scheme, on a stopped clock. */
export function schemeReceiver(
  auth: Authenticator,
  clock: FakeClock = fakeClock(),
  others: Partial<ListenerOptions> = {},
): SchemeReceiver {
  const listener = defineListener({
    id: 'a-sender',
    auth,
    store: memoryStore({ clock, maxRecords: 100 }),
    clock,
    ...others,
  })
  return {
    clock,
    receive: ({ method = 'POST', url, headers, body, sourceIp }) =>
      verify({ method, url, header: (name) => headers[name], body: Buffer.from(body), sourceIp }, listener),
  }
}

export const DUPLICATE = { ok: false, reason: 'event_duplicate', status: 200 }
export const IN_PROGRESS = { ok: false, reason: 'event_in_progress', status: 503 }
export const MISMATCH = { ok: false, reason: 'signature_mismatch', status: 401 }
