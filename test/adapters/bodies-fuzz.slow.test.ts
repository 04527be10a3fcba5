import { expect, it } from 'vitest'
import type { Listener } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import fc from '../support/property.ts'
import { RawConnection, type RawRequest, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { type RunningServer, TARGETS } from '../support/servers.ts'

const PLACES = 6
const OPTIONS = {
  maxConcurrentBodies: PLACES,
  maxConcurrentBytes: PLACES * 65_536,
  bodyTimeoutSeconds: 0.5,
  trustedProxies: ['127.0.0.0/8'],
}
const ALLOWED = { 'x-forwarded-for': '192.0.2.1' }
const STRANGER = { 'x-forwarded-for': '203.0.113.9' }

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** The path tells the lookup what to do, and the store how long to take. */
const paths = fc.record({
  lookup: fc.constantFrom('found', 'unknown', 'throws', 'late', 'late-unknown', 'late-throws'),
  turns: fc.nat({ max: 20 }),
})

const action = fc.record({
  path: paths,
  request: fc.constantFrom('valid', 'valid', 'unsigned', 'too large', 'no json', 'stranger', 'get'),
  manner: fc.constantFrom('whole', 'whole', 'chunked', 'leaves early', 'leaves waiting', 'stalls', 'ahead'),
  store: fc.constantFrom('answers', 'answers', 'late', 'throws', 'rejects'),
})
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never

/** An endpoint whose store acts as the event's action says. A store only learns the ID, so actions are found by it. */
function endpointFor(manners: Map<string, Action>): Endpoint {
  return hmacEndpoint({ allowedCidrs: ['192.0.2.0/24'] }, (clock) => {
    const store = memoryStore({ clock })
    return {
      claim: (key, ...rest) => {
        const { store: manner = 'answers' } = manners.get(key.eventId) ?? {}
        if (manner === 'throws') throw new Error('no database')
        if (manner === 'rejects') return turns(3).then(() => Promise.reject(new Error('no database')))
        if (manner === 'late') return turns(20).then(() => store.claim(key, ...rest))
        return store.claim(key, ...rest)
      },
      commit: store.commit.bind(store),
      release: store.release.bind(store),
    }
  })
}

function lookupOf(listener: Listener) {
  return (path: string) => {
    const [, lookup = '', count = '0'] = path.split('/')
    const find = () => {
      if (lookup.endsWith('throws')) throw new Error('no database')
      return lookup.endsWith('unknown') ? undefined : listener
    }
    return lookup.startsWith('late') ? turns(Number(count)).then(find) : find()
  }
}

async function requestOf({ path, request }: Action, endpoint: Endpoint): Promise<RawRequest> {
  const body = { 'too large': `"${'x'.repeat(70_000)}"`, 'no json': 'x' }[request as string] ?? '{"a":1}'
  const signature = request === 'unsigned' ? { 'webhook-signature': 'x' } : {}
  return endpoint.request({
    path: `/${path.lookup}/${path.turns}`,
    method: request === 'get' ? 'GET' : 'POST',
    body,
    headers: { ...signature, ...(request === 'stranger' ? STRANGER : ALLOWED) },
  })
}

async function act(given: Action, server: RunningServer, endpoint: Endpoint, manners: Map<string, Action>) {
  const request = await requestOf(given, endpoint)
  const eventId = request.headers.find(([name]) => name === 'webhook-event-id')?.[1] ?? ''
  manners.set(eventId, given)
  const bytes = toBytes(request)
  const connection = new RawConnection(server.address)
  const { manner } = given
  if (manner === 'chunked') await connection.write(toBytes(request, { chunkBytes: 3000 }))
  else if (manner === 'ahead') await connection.write(Buffer.concat([bytes, bytes, bytes]))
  else
    await connection.write(manner === 'stalls' || manner === 'leaves early' ? bytes.subarray(0, -1) : bytes)
  if (manner === 'leaves early' || manner === 'leaves waiting') await turns(given.path.turns)
  else await connection.reply()
  connection.abort()
}

/** Fills all places with incomplete bodies, and sends one more. True if exactly one of them is cut. */
async function isWhole(server: RunningServer, endpoint: Endpoint): Promise<boolean> {
  const held: RawConnection[] = []
  for (let count = 0; count <= PLACES; count += 1) {
    const connection = new RawConnection(server.address)
    held.push(connection)
    const request = await endpoint.request({ path: '/found/0', headers: ALLOWED })
    await connection.write(toBytes(request).subarray(0, -1))
  }
  // A body with a place is answered at its deadline, and one that is cut at once.
  const statuses = await Promise.all(held.map(async (connection) => (await connection.reply())?.status))
  for (const connection of held) connection.abort()
  const refused = statuses.filter((status) => status === 503).length
  expect(refused, 'a place was given back twice').toBeGreaterThan(0)
  return refused === 1
}

it.each(Object.entries(TARGETS))(
  'no place is lost on %s, whatever senders, lookups and the store do',
  async (_, start) => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 40, maxLength: 60 }), async (actions) => {
        const manners = new Map<string, Action>()
        const endpoint = endpointFor(manners)
        const server = await start({
          target: lookupOf(endpoint.listener),
          listener: endpoint.listener,
          options: OPTIONS,
        })
        await Promise.all(actions.map((given) => act(given, server, endpoint, manners)))
        // The work of senders that left needs a few turns to end, but never longer than a body may take.
        await expect.poll(() => isWhole(server, endpoint), { interval: 10 }).toBe(true)
      }),
      { numRuns: 4, endOnFailure: true },
    )
  },
  120_000,
)
