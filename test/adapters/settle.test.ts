import { expect } from 'vitest'
import { EventStoreError, type WebhookEvent } from '../../src/index.ts'
import { inTransaction } from '../../src/joining.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import {
  ACCEPTED,
  answered,
  type Client,
  DUPLICATE,
  describeMatrix,
  FAILED,
  IN_PROGRESS,
  type Row,
  type Wire,
} from '../support/describe-matrix.ts'
import { Log } from '../support/log.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'

/** Sends the same delivery three times. */
async function threeTimes({ send, request }: Client) {
  const sent = await request()
  return [await send(sent), await send(sent), await send(sent)]
}

/** Calls these functions in turn, then answers 200. */
type Turn = (event: WebhookEvent) => number | Promise<void>

function inTurn(...turns: readonly Turn[]): (event: WebhookEvent) => Promise<number> {
  const left = [...turns]
  return async (event) => (await left.shift()?.(event)) ?? 200
}

function failing(): never {
  throw new Error('no database')
}

/** The reason phrase of each status on Node, and on the runtimes that name unregistered statuses themselves. */
const PHRASES: { readonly [status: number]: string } = {
  200: 'OK',
  201: 'Created',
  299: 'unknown',
  300: 'Multiple Choices',
  302: 'Found',
  399: 'unknown',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  499: 'unknown',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  599: 'unknown',
}

const CLASSES = ['', '', 'Successful', 'Redirection', 'Client Error', 'Server Error']

/** What the first answer does to an event, shown by two repeats of the delivery. */
function afterAnswer(status: number, then: string, ...others: readonly Wire[]): Row {
  const phrase = PHRASES[status] ?? ''
  const answers = (first: string) => [answered(status, first), ...others]
  return {
    name: `${status} ${then}`,
    setup: () => ({ handle: inTurn(() => status) }),
    send: threeTimes,
    expected: answers(phrase),
    ...(phrase === 'unknown' && {
      differs: {
        'phrase of Bun': answers('HM'),
        'phrase of Deno': answers(''),
        'phrase of workerd': answers(CLASSES[Math.floor(status / 100)] ?? ''),
      },
    }),
    handled: 1 + others.filter((wire) => wire === ACCEPTED).length,
  }
}

describeMatrix('the answer of a handler', [
  ...[200, 201, 299].map((status) => afterAnswer(status, 'commits the event', DUPLICATE, DUPLICATE)),
  ...[408, 503, 504].map((status) =>
    afterAnswer(
      status,
      'leaves the lease to lapse, since the handler may still run',
      IN_PROGRESS,
      IN_PROGRESS,
    ),
  ),
  ...[300, 302, 399, 400, 403, 404, 407, 409, 422, 429, 499, 500, 502, 505, 599].map((status) =>
    afterAnswer(status, 'releases the event: the next delivery runs', ACCEPTED, DUPLICATE),
  ),
  {
    name: 'verifyWebhook releases the event when the handler throws',
    setup: () => ({ handle: inTurn(failing) }),
    send: threeTimes,
    expected: [FAILED, ACCEPTED, DUPLICATE],
    handled: 2,
  },
  {
    name: 'verifyWebhook releases the event as often as the handler fails',
    setup: () => ({ handle: inTurn(failing, () => 500) }),
    send: threeTimes,
    expected: [FAILED, FAILED, ACCEPTED],
    handled: 3,
  },
  {
    name: 'an unsettled lease lapses by itself, and the next delivery runs',
    setup: () => ({ handle: inTurn(() => 504) }),
    send: async (client) => {
      const sent = await client.request()
      const first = await client.send(sent)
      const meanwhile = await client.send(sent)
      client.clock.advanceSeconds(61)
      return [first, meanwhile, await client.send(sent), await client.send(sent)]
    },
    expected: [answered(504, 'Gateway Timeout'), IN_PROGRESS, ACCEPTED, DUPLICATE],
    handled: 2,
  },
])

/** A handler that waits until it is opened. */
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

/** Each server has its own gate. Rows find it by their endpoint's listener. */
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
    name: 'a slow handler is not run again meanwhile: 503 with its own code and Retry-After',
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
    name: 'a slow handler that succeeds commits, even if the client left before it ended',
    setup: gated,
    send: async (client) => {
      const { entered, open } = gateOf(client)
      const sent = await client.request()
      const connection = new RawConnection(client.address)
      await connection.write(toBytes(sent))
      await entered.reaches(1)
      connection.abort()
      await client.closings.reaches(1)
      const meanwhile = await client.send(sent)
      open()
      await client.calls.reaches(3)
      const afterwards = await client.send(sent)
      const verbs = client.calls.entries.map((call) => call.split(' ')[0])
      expect(verbs).toEqual(['claim', 'claim', 'commit', 'claim'])
      return [meanwhile, afterwards]
    },
    expected: [IN_PROGRESS, DUPLICATE],
    differs: { 'no hang-up': 'not sent' },
    handled: 1,
    claims: 3,
  },
])

describeMatrix('a handler that settles by hand before it answers', [
  {
    name: 'the commit stands, even if the handler answers 500',
    setup: () => ({
      handle: async (event) => {
        await event.commit()
        return 500
      },
    }),
    send: threeTimes,
    expected: [FAILED, DUPLICATE, DUPLICATE],
    handled: 1,
  },
  {
    name: 'the release stands, even if the handler answers 200: the next delivery runs',
    setup: () => ({
      handle: async (event) => {
        await event.release()
        return 200
      },
    }),
    send: threeTimes,
    expected: [ACCEPTED, ACCEPTED, ACCEPTED],
  },
])

/** With `settle: 'manual'`, the handler acts on the event itself. */
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

/** A store that can claim and nothing else. */
function forgetful(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  return { claim: store.claim.bind(store), commit: async () => failing(), release: async () => failing() }
}

/** A store that keeps what the handler writes until its commit, which fails once. */
function transactional(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  const failures = [failing]
  return {
    claim: store.claim.bind(store),
    commit: async (...given: Parameters<typeof store.commit>) => {
      failures.shift()?.()
      return store.commit(...given)
    },
    release: store.release.bind(store),
    accepted() {},
  }
}

const onTransactional = (options = {}) => hmacEndpoint(options, transactional)

describeMatrix('a store that holds what the handler wrote, and whose commit fails', [
  {
    name: 'an answer of 200 that has not left becomes 500, onError is called once, and the next delivery runs',
    endpoint: onTransactional,
    send: async (client) => {
      const sent = await client.request()
      const first = await client.send(sent)
      await client.failures.reaches(1)
      if (first.statusLine.includes('200')) client.clock.advanceSeconds(61)
      const others = [await client.send(sent), await client.send(sent)]
      expect(client.failures.entries).toEqual([expect.any(EventStoreError)])
      return [first, ...others]
    },
    expected: [ACCEPTED, ACCEPTED, DUPLICATE],
    differs: { 'held answer': [FAILED, ACCEPTED, DUPLICATE] },
    handled: 2,
  },
  {
    name: 'a handler that failed answers as it does everywhere',
    endpoint: onTransactional,
    setup: () => ({ handle: inTurn(failing) }),
    send: async ({ send, request }) => send(await request()),
    expected: FAILED,
    handled: 1,
  },
  {
    name: "with settle: 'manual', the answer stands",
    endpoint: () => onTransactional({ settle: 'manual' }),
    send: async ({ send, request }) => send(await request()),
    expected: ACCEPTED,
  },
])

/** A store that joins transactions, which are lists of what to do at their end. */
function joining(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  return {
    claim: store.claim.bind(store),
    commit: store.commit.bind(store),
    release: store.release.bind(store),
    commitIn: inTransaction(async (tx, ...given) => {
      if (!Array.isArray(tx)) return expect.fail('no transaction')
      tx.push(() => store.commit(...given))
      return 'committed'
    }),
  }
}

const onJoining = (options = {}) => hmacEndpoint(options, joining)

/** Joins a transaction, and rolls it back without a word. */
const rolledBack = async (event: WebhookEvent) => void (await event.commit([]))

async function committedInside(event: WebhookEvent) {
  const tx: (() => unknown)[] = []
  expect(await event.commit(tx)).toBe('committed')
  for (const end of tx) await end()
}

// In workerd, the handlers are the worker's own.
if (process.env.HOOKGATE_RUNTIME !== 'workerd') {
  describeMatrix('a handler that commits its event in its own transaction', [
    {
      name: 'an event whose transaction was committed is done, and nobody is told of anything',
      endpoint: onJoining,
      setup: () => ({ handle: inTurn(committedInside) }),
      send: async (client) => {
        const verdicts = await threeTimes(client)
        expect(client.failures.entries).toEqual([])
        return verdicts
      },
      expected: [ACCEPTED, DUPLICATE, DUPLICATE],
      claims: 4, // one of them asks what has become of the transaction
    },
    {
      name: 'an event whose transaction was rolled back is released, onError is called once, and the next delivery runs',
      endpoint: onJoining,
      setup: () => ({ handle: inTurn(rolledBack, committedInside) }),
      send: async (client) => {
        const sent = await client.request()
        const first = await client.send(sent)
        await client.failures.reaches(1)
        const others = [await client.send(sent), await client.send(sent)]
        expect(client.failures.entries).toEqual([
          expect.objectContaining({ message: expect.stringContaining('was not committed') }),
        ])
        return [first, ...others]
      },
      expected: [ACCEPTED, ACCEPTED, DUPLICATE],
      differs: { 'held answer': [FAILED, ACCEPTED, DUPLICATE] },
      handled: 2,
      claims: 5,
    },
    {
      name: 'an event whose transaction was committed before its handler failed is done',
      endpoint: onJoining,
      setup: () => ({
        handle: inTurn(async (event: WebhookEvent) => {
          await committedInside(event)
          failing()
        }),
      }),
      send: threeTimes,
      expected: [FAILED, DUPLICATE, DUPLICATE],
      handled: 1,
    },
    {
      name: 'a store that joins no transaction says so, and the event runs again',
      endpoint: hmacEndpoint,
      setup: () => ({ handle: inTurn(rolledBack) }),
      send: threeTimes,
      expected: [FAILED, ACCEPTED, DUPLICATE],
      handled: 2,
    },
  ])
}

describeMatrix('a store that fails after the handler', [
  {
    name: 'a failing store does not change the answer, calls onError, and the lease lapses',
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
    name: 'a failing store does not change an answer of 500 either',
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
    name: 'a failing store does not change the answer when onError throws as well',
    endpoint: () => hmacEndpoint({ onError: failing }, forgetful),
    send: async ({ send, request }) => send(await request()),
    expected: ACCEPTED,
  },
])
