import { type Delivery, defineListener, hmac, type Listener, type ListenerOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type SignHmacOptions, signHmac, toDelivery } from '../../src/testing/index.ts'
import { type FakeClock, fakeClock } from './clock.ts'

export const SECRET = 'x3JTZLHjE1y2Ljdk2aJqwHt6yqBHcDVdYtpVE7Ma9xs'

/** An HMAC listener on a fake clock, and a sender that knows its secret. */
export function hmacListener(options: Partial<ListenerOptions> = {}): {
  listener: Listener
  clock: FakeClock
  /** A valid delivery, signed over exactly the given values. */
  deliver(given?: Partial<SignHmacOptions> & { sourceIp?: string }): Promise<Delivery>
} {
  const clock = fakeClock()
  const listener = defineListener({
    id: 'L1',
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    store: memoryStore({ clock, maxRecords: 1000 }),
    clock,
    ...options,
  })
  return {
    listener,
    clock,
    async deliver({ sourceIp, ...given } = {}) {
      const request = await signHmac({
        secret: SECRET,
        body: '{"a":1}',
        timestamp: clock.seconds(),
        ...given,
      })
      return toDelivery(request, sourceIp)
    },
  }
}

/** The same delivery with changed headers. Undefined removes one, an array repeats it. */
export function withHeaders(
  delivery: Delivery,
  changed: { readonly [name: string]: string | readonly string[] | undefined },
): Delivery {
  return {
    ...delivery,
    header: (name) => (Object.hasOwn(changed, name) ? changed[name] : delivery.header(name)),
  }
}
