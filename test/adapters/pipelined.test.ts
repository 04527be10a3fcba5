import {
  ACCEPTED,
  type Client,
  closing,
  describeMatrix,
  type Row,
  refused,
  UNAUTHORIZED,
  type Wire,
  wireOf,
} from '../support/describe-matrix.ts'
import { RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import type { Endpoint, Given } from '../support/sender.ts'

const BEHIND = 10
const LIMIT = 65_536
const TOO_LARGE = refused(400, 'body_too_large', closing)
const UNKNOWN = refused(404, 'listener_unknown', closing)
const INCOMPLETE = refused(400, 'body_incomplete', closing)

const large = (bytes: number): Given => ({ body: `"${'x'.repeat(bytes - 2)}"` })

/** No listener has this path. */
const NOWHERE = '/nowhere'

type Setup = NonNullable<Row['setup']>
const found: Setup = ({ lookup }) => ({ target: (path) => (path === NOWHERE ? undefined : lookup(path)) })
const foundLater: Setup = ({ lookup }) => ({ target: async (path) => later(path, lookup) })

/** A known path is found faster, so each request would overtake one with an unknown path before it. */
async function later(path: string, lookup: Endpoint['lookup']) {
  for (let turns = path === NOWHERE ? 20 : 1; turns > 0; turns -= 1) await nextTurn()
  return path === NOWHERE ? undefined : lookup(path)
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A handler that takes longer than all the verdicts behind it. */
async function holdUp(): Promise<number> {
  for (let turns = 0; turns < 50; turns += 1) await nextTurn()
  return 200
}

/** Ten valid deliveries, as bytes. */
async function ten({ request }: Client): Promise<Buffer> {
  const requests = await Promise.all(Array.from({ length: BEHIND }, () => request()))
  return Buffer.concat(requests.map((sent) => toBytes(sent)))
}

/** Writes some requests and ten valid ones behind them at once, and returns the replies. */
async function withTenBehind(client: Client, ...first: readonly Buffer[]): Promise<Wire[]> {
  const connection = new RawConnection(client.address)
  void connection.write(Buffer.concat([...first, await ten(client)]))
  return heardOn(connection, client, first.length + BEHIND)
}

/** The replies to that many requests, or fewer if the server closes the connection earlier. */
async function heardOn(connection: RawConnection, client: Client, most: number): Promise<Wire[]> {
  const replies: Wire[] = []
  while (replies.length < most) {
    const reply = await connection.reply()
    if (reply === undefined) break
    replies.push(wireOf(reply))
  }
  if (replies.length < most) await client.hungUp(connection)
  await nextTurn() // in case a handler still runs behind the closed connection
  return replies
}

const whole = (request: RawRequest) => toBytes(request)
const inChunks = (request: RawRequest) => toBytes(request, { chunkBytes: 8000 })

const TEN: readonly Wire[] = Array(BEHIND).fill(ACCEPTED)

/** How servers of other runtimes react. None of them runs a handler whose reply cannot be sent. */
const onOthers = (first: Wire): NonNullable<Row['differs']> => ({
  unheard: 'not sent',
  'left open': [first, ...TEN],
})
const readToTheEnd = (first: Wire): NonNullable<Row['differs']> => ({
  ...onOthers(first),
  'own Connection': [first, ...TEN],
})
const NO_PIPELINING: NonNullable<Row['differs']> = { 'no pipelining': [] }

function rowsOf(bytes: number): Row[] {
  const size = large(bytes)
  const announced = `${bytes} bytes`
  // workerd reads a little ahead, and keeps the connection open if that was everything.
  const chunked = bytes > 2 * LIMIT ? onOthers(TOO_LARGE) : readToTheEnd(TOO_LARGE)
  const asynchronously = bytes > 2 * LIMIT ? {} : NO_PIPELINING
  return [
    {
      name: `ten requests are not run behind ${announced} with a Content-Length`,
      setup: found,
      send: async (client) => withTenBehind(client, whole(await client.request(size))),
      expected: TOO_LARGE,
      differs: onOthers(TOO_LARGE),
    },
    {
      name: `ten requests are not run behind ${announced} with a Content-Length, when listeners are looked up`,
      setup: foundLater,
      send: async (client) => withTenBehind(client, whole(await client.request(size))),
      expected: TOO_LARGE,
      differs: { ...onOthers(TOO_LARGE), ...asynchronously },
    },
    {
      name: `ten requests are not run behind ${announced} in chunks`,
      setup: found,
      send: async (client) => withTenBehind(client, inChunks(await client.request(size))),
      expected: TOO_LARGE,
      differs: chunked,
    },
    {
      name: `ten requests are not run behind ${announced} in chunks, when listeners are looked up`,
      setup: foundLater,
      send: async (client) => withTenBehind(client, inChunks(await client.request(size))),
      expected: TOO_LARGE,
      differs: { ...chunked, ...asynchronously },
    },
  ]
}

describeMatrix('ten requests behind a refusal that closes the connection', [
  ...rowsOf(LIMIT + 1),
  ...rowsOf(200_000),
  {
    name: 'ten requests are not run behind an unknown listener',
    setup: found,
    send: async (client) => withTenBehind(client, whole(await client.request({ path: NOWHERE }))),
    expected: UNKNOWN,
    differs: readToTheEnd(UNKNOWN),
  },
  {
    name: 'ten requests are not run behind an unknown listener whose lookup takes longer than theirs',
    setup: foundLater,
    send: async (client) => withTenBehind(client, whole(await client.request({ path: NOWHERE }))),
    expected: UNKNOWN,
    differs: { ...readToTheEnd(UNKNOWN), ...NO_PIPELINING },
  },
  {
    name: 'ten requests are not run behind a refusal that waits for a handler',
    setup: (endpoint) => ({ ...found(endpoint), handle: holdUp }),
    send: async (client) => {
      const slow = whole(await client.request())
      const unknown = whole(await client.request({ path: NOWHERE }))
      return withTenBehind(client, slow, unknown)
    },
    expected: [ACCEPTED, UNKNOWN],
    differs: {
      unheard: 'not sent',
      'left open': [ACCEPTED, UNKNOWN, ...TEN],
      'own Connection': [ACCEPTED, UNKNOWN, ...TEN],
      'no pipelining': 'not sent',
    },
  },
  {
    name: 'ten requests are not run behind a late body',
    setup: () => ({ options: { bodyTimeoutSeconds: 0.05 } }),
    send: async (client) => {
      const connection = new RawConnection(client.address)
      const late = whole(await client.request())
      await connection.write(late.subarray(0, -1))
      const reply = wireOf(await connection.reply())
      void connection.write(Buffer.concat([late.subarray(-1), await ten(client)]))
      return [reply, ...(await heardOn(connection, client, BEHIND))]
    },
    expected: INCOMPLETE,
    differs: onOthers(INCOMPLETE),
  },
])

/** A refusal that keeps the connection open, with ten valid requests behind it. */
async function behindOneThatStays(client: Client): Promise<Wire[]> {
  return withTenBehind(client, whole(await client.request({ headers: { 'webhook-signature': 'x' } })))
}

describeMatrix('ten requests behind a refusal that keeps the connection', [
  {
    name: 'ten requests are run and answered in order',
    setup: found,
    send: behindOneThatStays,
    expected: [UNAUTHORIZED, ...TEN],
  },
  {
    name: 'ten requests are run and answered in order when listeners are looked up',
    setup: foundLater,
    send: behindOneThatStays,
    expected: [UNAUTHORIZED, ...TEN],
    differs: NO_PIPELINING,
  },
])
