import { type Delivery, defineListener, type Listener, type ListenerOptions } from '../../src/index.ts'
import { jwt, localKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type SignJwtOptions, signJwt, toDelivery } from '../../src/testing/index.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { newKey } from './keys.ts'

/** A JWT listener on a fake clock, and a sender with a new ES256 key. */
export async function es256Listener(options: Partial<ListenerOptions> = {}): Promise<{
  listener: Listener
  clock: FakeClock
  /** A valid delivery whose token expires in 300 s. */
  deliver(given?: Partial<SignJwtOptions>): Promise<Delivery>
}> {
  const clock = fakeClock()
  const { privateKey, publicKey } = newKey('ES256', 'k1')
  const endpoint = { subject: 'https://tenant.example', audience: 'https://tenant.example/hook' }
  const listener = defineListener({
    id: 'L1',
    auth: jwt({
      ...endpoint,
      keySet: localKeySet({ keys: [publicKey] }),
    }),
    store: memoryStore({ clock, maxRecords: 1000 }),
    clock,
    ...options,
  })
  return {
    listener,
    clock,
    async deliver({ claims, ...given } = {}) {
      const request = await signJwt({
        ...endpoint,
        privateKey,
        body: '{"a":1}',
        timestamp: clock.seconds(),
        claims: { exp: clock.seconds() + 300, ...claims },
        ...given,
      })
      return toDelivery(request)
    },
  }
}
