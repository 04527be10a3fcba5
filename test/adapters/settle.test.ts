import { expect } from 'vitest'
import { EventStoreError, type WebhookEvent } from '../../src/index.ts'
import { memoryStore } from '../../stores/memory.ts'
import {
  ACCEPTED,
  answered,
  type Client,
  DUPLICATE,
  describeMatrix,
  FAILED,
  type Row,
  refused,
} from '../support/describe-matrix.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { Log } from './log.ts'
import { type Endpoint, hmacEndpoint } from './sender.ts'

const IN_PROGRESS = refused(409, 'event_in_progress', { retryAfter: '60' })

/** The same delivery three times. */
async function threeTimes({ send, request }: Client) {
  const sent = await request()
  return [await send(sent), await send(sent), await send(sent)]
}

/** Does one thing after the other, and then 200. */
function inTurn(...turns: readonly (() => number)[]): () => Promise<number> {
  const left = [...turns]
  return async () => left.shift()?.() ?? 200
}

function failing(): never {
  throw new Error('no database')
}

describeMatrix('the answer of a handler', [
  {
    name: 'D06 frees the event when it is 500: the next delivery runs',
    setup: () => ({ handle: inTurn(() => 500) }),
    send: threeTimes,
    expected: [FAILED, ACCEPTED, DUPLICATE],
    handled: 2,
  },
  {
    name: 'D06 frees the event when it is 503',
    setup: () => ({ handle: inTurn(() => 503) }),
    send: threeTimes,
    expected: [answered(503, 'Service Unavailable'), ACCEPTED, DUPLICATE],
    handled: 2,
  },
  {
    name: 'D06 frees the event when the handler throws',
    setup: () => ({ handle: inTurn(failing) }),
    send: threeTimes,
    expected: [FAILED, ACCEPTED, DUPLICATE],
    handled: 2,
  },
  {
    name: 'D06 frees the event as often as the handler fails',
    setup: () => ({ handle: inTurn(failing, () => 599) }),
    send: threeTimes,
    expected: [FAILED, answered(599, 'unknown'), ACCEPTED],
    differs: {
      'phrase of Bun': [FAILED, answered(599, 'HM'), ACCEPTED],
      'phrase of Deno': [FAILED, answered(599, ''), ACCEPTED],
      'phrase of workerd': [FAILED, answered(599, 'Server Error'), ACCEPTED],
    },
    handled: 3,
  },
  ...(
    [
      [201, 'Created'],
      [302, 'Found'],
      [400, 'Bad Request'],
      [404, 'Not Found'],
      [429, 'Too Many Requests'],
      [499, 'unknown'],
    ] as const
  ).map(
    ([status, phrase]): Row => ({
      name: `settles the event when it is ${status}`,
      setup: () => ({ handle: () => status }),
      send: threeTimes,
      expected: [answered(status, phrase), DUPLICATE, DUPLICATE],
      ...(phrase === 'unknown' && {
        differs: {
          'phrase of Bun': [answered(status, 'HM'), DUPLICATE, DUPLICATE],
          'phrase of Deno': [answered(status, ''), DUPLICATE, DUPLICATE],
          'phrase of workerd': [answered(status, 'Client Error'), DUPLICATE, DUPLICATE],
        },
      }),
      handled: 1,
    }),
  ),
])

/** A handler that waits to be let go. */
function gate() {
  const entered = new Log<string>()
  const opened = new Log<string>()
  return {
    entered,
    open: () => opened.add('open'),
    handle: async (event: WebhookEvent) => {
      entered.add(event.id)
      await opened.reaches(1)
      return 200
    },
  }
}

/** Each server has its own gate; rows find it by their endpoint's listener. */
const gates = new WeakMap<object, ReturnType<typeof gate>>()

function gated({ listener }: Endpoint) {
  const made = gate()
  gates.set(listener, made)
  return { handle: made.handle }
}

function gateOf({ listener }: Client) {
  return gates.get(listener) ?? gate()
}

describeMatrix('a handler that takes its time', [
  {
    name: 'D07 is not run a second time meanwhile: 409 with its own code and Retry-After',
    setup: gated,
    send: async (client) => {
      const { entered, open } = gateOf(client)
      const sent = await client.request()
      const first = client.send(sent)
      await entered.reaches(1)
      const second = await client.send(sent)
      open()
      return [second, await first, await client.send(sent)]
    },
    expected: [IN_PROGRESS, ACCEPTED, DUPLICATE],
  },
  {
    name: 'D07 leaves the lease to lapse when the client left before it ended',
    setup: gated,
    send: async (client) => {
      const { entered, open } = gateOf(client)
      const sent = await client.request()
      const connection = new RawConnection(client.address)
      await connection.write(toBytes(sent))
      await entered.reaches(1)
      connection.abort()
      await client.closings.reaches(1)
      open()
      const meanwhile = await client.send(sent)
      client.clock.advanceSeconds(61)
      const afterwards = await client.send(sent)
      await client.calls.reaches(4)
      const verbs = client.calls.entries.map((call) => call.split(' ')[0])
      expect(verbs).toEqual(['claim', 'claim', 'claim', 'commit'])
      return [meanwhile, afterwards]
    },
    expected: [IN_PROGRESS, ACCEPTED],
    differs: { 'no hang-up': 'not sent' },
    handled: 2,
    claims: 3,
  },
])

/** Leaves it to the handler, which does this with the event. */
function manual(
  name: string,
  act: (event: WebhookEvent) => unknown,
  expected: Row['expected'],
  handled = 1,
): Row {
  const handle = async (event: WebhookEvent) => {
    await act(event)
    return 200
  }
  return {
    name,
    endpoint: () => hmacEndpoint({ settle: 'manual' }),
    setup: () => ({ handle }),
    send: threeTimes,
    expected,
    handled,
  }
}

describeMatrix("settle: 'manual'", [
  manual('leaves the event leased when the handler does nothing', () => {}, [
    ACCEPTED,
    IN_PROGRESS,
    IN_PROGRESS,
  ]),
  manual('lets the handler commit', (event) => event.commit(), [ACCEPTED, DUPLICATE, DUPLICATE]),
  manual('lets the handler release', (event) => event.release(), [ACCEPTED, ACCEPTED, ACCEPTED], 3),
])

/** A store that can claim, and nothing else. */
function forgetful(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  return { claim: store.claim.bind(store), commit: async () => failing(), release: async () => failing() }
}

describeMatrix('a store that fails after the handler', [
  {
    name: 'does not change the answer; onError is told, and the lease lapses',
    endpoint: () => hmacEndpoint({}, forgetful),
    send: async (client) => {
      const sent = await client.request()
      const first = await client.send(sent)
      await client.failures.reaches(1)
      expect(client.failures.entries).toEqual([expect.any(EventStoreError)])
      const meanwhile = await client.send(sent)
      client.clock.advanceSeconds(61)
      return [first, meanwhile, await client.send(sent)]
    },
    expected: [ACCEPTED, IN_PROGRESS, ACCEPTED],
  },
  {
    name: 'does not change an answer of 500 either',
    endpoint: () => hmacEndpoint({}, forgetful),
    setup: () => ({ handle: inTurn(failing) }),
    send: async (client) => {
      const first = await client.send(await client.request())
      await client.failures.reaches(1)
      expect(client.failures.entries).toEqual([expect.any(EventStoreError)])
      return first
    },
    expected: FAILED,
    handled: 1,
  },
  {
    name: 'does not change the answer when onError throws as well',
    endpoint: () => hmacEndpoint({ onError: failing }, forgetful),
    send: async ({ send, request }) => send(await request()),
    expected: ACCEPTED,
  },
])
