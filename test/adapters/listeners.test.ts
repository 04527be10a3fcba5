import { expect } from 'vitest'
import { type Listener, ListenerLoadError } from '../../src/index.ts'
import { type ListenersOptions, listeners } from '../../src/listeners.ts'
import { ACCEPTED, closing, describeMatrix, type Row, refused } from '../support/describe-matrix.ts'
import type { Endpoint } from '../support/sender.ts'

const UNAVAILABLE = refused(503, 'unavailable', { retryAfter: '5', ...closing })
const UNKNOWN = refused(404, 'listener_unknown', closing)

type Load = (endpoint: Endpoint) => Listener | undefined | Promise<Listener | undefined>

/** An endpoint that loads its listeners by the last part of the path, and records failed loads. */
function behindListeners(load: Load, options: Partial<ListenersOptions> = {}): Pick<Row, 'setup'> {
  return {
    setup: (endpoint) => {
      const tenants = listeners({
        load: async () => load(endpoint),
        onError: (error, { listenerId }) => endpoint.failures.add([listenerId, error]),
        ...options,
      })
      return { target: async (path) => tenants.find(path.slice(1)) }
    },
  }
}

function failing(): never {
  throw new Error('connect ECONNREFUSED 10.1.2.3:5432')
}

const sendTold: Row['send'] = async ({ send, request, failures, errors, verdicts }) => {
  const wire = await send(await request())
  expect(failures.entries).toEqual([['hook', expect.any(ListenerLoadError)]])
  expect(errors).toEqual([])
  expect(verdicts.entries).toEqual([])
  return wire
}

describeMatrix('listeners() as the lookup', [
  {
    name: 'listeners() finds the listener of a delivery, which is loaded once',
    ...behindListeners(({ listener, lookup }) => lookup('loaded') && listener),
    send: async ({ send, request, lookups }) => {
      const wires = [await send(await request()), await send(await request())]
      expect(lookups.entries).toEqual(['loaded'])
      return wires
    },
    expected: [ACCEPTED, ACCEPTED],
  },
  {
    name: 'listeners() finds nothing for an unknown tenant',
    ...behindListeners(() => undefined),
    send: async ({ send, request }) => send(await request()),
    expected: UNKNOWN,
  },
  {
    name: 'a lookup that cannot load is 503 with Retry-After, and calls onError',
    ...behindListeners(failing),
    send: sendTold,
    expected: UNAVAILABLE,
  },
  {
    name: 'a lookup whose load times out is 503 with Retry-After, and calls onError',
    ...behindListeners(() => new Promise(() => {}), { timeoutSeconds: 0.05 }),
    send: sendTold,
    expected: UNAVAILABLE,
  },
  {
    name: 'a lookup of another copy of hookgate is 503 too',
    setup: () => ({
      target: async () => {
        const code = 'ERR_LISTENER_LOAD'
        throw Object.assign(new Error('not now'), { code, retryAfterSeconds: 5 })
      },
    }),
    send: async ({ send, request, errors }) => {
      const wire = await send(await request())
      expect(errors).toEqual([])
      return wire
    },
    expected: UNAVAILABLE,
  },
  {
    name: 'a lookup that throws synchronously is 503 too',
    setup: () => ({
      target: () => {
        throw new ListenerLoadError('not now')
      },
    }),
    send: async ({ send, request, errors }) => {
      const wire = await send(await request())
      expect(errors).toEqual([])
      return wire
    },
    expected: UNAVAILABLE,
  },
])
