import { expect } from 'vitest'
import { type EventStore, EventStoreError, KeySetError, type Listener } from '../../src/index.ts'
import type { KeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import {
  ACCEPTED,
  closing,
  DUPLICATE,
  describeMatrix,
  FAILED,
  type Row,
  refused,
  UNAUTHORIZED_JWT,
  wireOf,
} from '../support/describe-matrix.ts'
import { headOf, RawConnection } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint, jwtEndpoint } from '../support/sender.ts'

const UNAVAILABLE = refused(503, 'unavailable', { retryAfter: '5' })

function storeRow(name: string, claim: () => unknown): Row {
  const store = { ...memoryStore(), claim } as EventStore // The answer is what the row tests.
  return {
    name,
    endpoint: () => hmacEndpoint({ store, storeTimeoutSeconds: 0.05 }),
    send: async ({ send, request, failures, errors }) => {
      const wire = await send(await request())
      expect(failures.entries).toEqual([expect.any(EventStoreError)])
      expect(errors).toEqual([])
      return wire
    },
    claims: 1,
    expected: UNAVAILABLE,
  }
}

function throwing(): never {
  throw new Error('connect ECONNREFUSED 10.1.2.3:6379')
}

describeMatrix('a store that fails', [
  storeRow('a store that throws is 503 with Retry-After', throwing),
  storeRow('a store that rejects is 503 with Retry-After', async () => throwing()),
  storeRow('a store that hangs is 503 with Retry-After', () => new Promise(() => {})),
  storeRow('a store that answers undefined is 503 with Retry-After', () => undefined),
  storeRow('a store that answers true is 503 with Retry-After', async () => true),
  {
    name: 'a store is 503 only as long as it fails',
    endpoint: () => {
      const inner = memoryStore()
      let asked = 0
      const claim: EventStore['claim'] = (...given) => {
        asked += 1
        return asked === 1 ? throwing() : inner.claim(...given)
      }
      return hmacEndpoint({
        store: { claim, commit: inner.commit.bind(inner), release: inner.release.bind(inner) },
      })
    },
    send: async ({ send, request }) => {
      const sent = await request()
      return [await send(sent), await send(sent), await send(sent)]
    },
    claims: 3,
    expected: [UNAVAILABLE, ACCEPTED, DUPLICATE],
  },
])

/** What an error of a second copy of hookgate has: its code, and not our class. */
const ofAnotherCopy = (code: string) => Object.assign(new Error('no answer'), { code, retryAfterSeconds: 17 })

function keySetRow(
  name: string,
  find: KeySet['find'],
  retryAfter: string,
  failure: unknown = expect.any(KeySetError),
): Row {
  return {
    name,
    endpoint: () => jwtEndpoint({}, () => ({ find })),
    send: async ({ send, request, failures, errors }) => {
      const sent = await request()
      const wire = await send(sent)
      expect(failures.entries).toEqual([failure])
      expect(errors).toEqual([])
      return wire
    },
    expected: refused(503, 'unavailable', { retryAfter }),
  }
}

const keyHostDown = () => new KeySetError('https://keys.example/jwks did not answer', 17)

describeMatrix('a key host that fails', [
  keySetRow(
    'a key set that throws is 503 with Retry-After',
    () => {
      throw keyHostDown()
    },
    '17',
  ),
  keySetRow(
    'a key set that rejects is 503 with Retry-After',
    async () => {
      throw keyHostDown()
    },
    '17',
  ),
  keySetRow(
    'a key set of another copy of hookgate is 503 with Retry-After',
    async () => {
      throw ofAnotherCopy('ERR_KEY_SET')
    },
    '17',
    ofAnotherCopy('ERR_KEY_SET'),
  ),
  {
    name: 'a key set is not asked for a token that fails without it: 401, not 503',
    endpoint: () =>
      jwtEndpoint({}, () => ({
        find: () => {
          throw keyHostDown()
        },
      })),
    send: async ({ send, request }) => [
      await send(await request({ claims: { exp: 1 } })),
      await send(await request({ headers: { authorization: 'Bearer x' } })),
    ],
    expected: [UNAUTHORIZED_JWT, UNAUTHORIZED_JWT],
  },
])

const UNKNOWN = refused(404, 'listener_unknown', closing)

/** Two listeners on their own paths, which share a store and a secret. */
function twoListeners({ listener }: Endpoint) {
  const listeners = new Map<string, Listener>([
    ['/incoming/L1', listener],
    ['/incoming/L2', { ...listener, id: 'L2' }],
  ])
  return { target: (path: string) => listeners.get(path) }
}

describeMatrix('a lookup', [
  {
    name: 'a lookup answers 404 for an unknown listener',
    setup: () => ({ target: () => undefined }),
    send: async ({ send, request }) => send(await request()),
    expected: UNKNOWN,
  },
  {
    name: 'a lookup answers 404 for an unknown listener after a while',
    setup: () => ({ target: async () => undefined }),
    send: async ({ send, request }) => send(await request()),
    expected: UNKNOWN,
  },
  {
    name: 'a lookup answers 404 by the headers alone, and closes',
    setup: () => ({ target: () => undefined }),
    send: async ({ address, request, hungUp }) => {
      const connection = new RawConnection(address)
      await connection.write(headOf(await request(), [['Content-Length', '1000']]))
      const reply = await connection.reply()
      await hungUp(connection)
      return wireOf(reply)
    },
    expected: UNKNOWN,
  },
  {
    name: 'a lookup may be slow',
    setup: ({ listener }) => ({ target: async () => listener }),
    send: async ({ send, request }) => send(await request({ body: `"${'x'.repeat(60_000)}"` })),
    expected: ACCEPTED,
  },
  {
    name: 'a lookup that throws is an error of the developer',
    setup: () => ({
      target: () => {
        throw new Error('no database')
      },
    }),
    send: async ({ send, request }) => send(await request()),
    expected: FAILED,
  },
  {
    name: 'a lookup that rejects is an error of the developer',
    setup: () => ({
      target: async () => {
        throw new Error('no database')
      },
    }),
    send: async ({ send, request }) => send(await request()),
    expected: FAILED,
  },
  {
    name: 'a lookup keeps the events of two listeners apart',
    setup: twoListeners,
    send: async ({ send, request }) => {
      const sent = await request({ path: '/incoming/L1' })
      return [await send(sent), await send({ ...sent, path: '/incoming/L2' }), await send(sent)]
    },
    expected: [ACCEPTED, ACCEPTED, DUPLICATE],
  },
  {
    name: 'a lookup does not run an event again for another spelling of its URL',
    setup: twoListeners,
    send: async ({ send, request }) => {
      const sent = await request({ path: '/incoming/L1' })
      const spellings = ['/incoming/l1', '/incoming/L1/', '//incoming/L1', '/incoming//L1', '/incoming/%6c1']
      const first = await send(sent)
      const replies = await Promise.all(spellings.map((path) => send({ ...sent, path })))
      return [first, ...replies]
    },
    expected: [ACCEPTED, ...Array<typeof UNKNOWN>(5).fill(UNKNOWN)],
  },
])
