/** A Worker as users write one, for tests from outside: it tells what its stores and its key sets answer. */
import { waitUntil } from 'cloudflare:workers'
import { type EventKey, type EventStore, EventStoreError, KeySetError } from '../../../src/index.ts'
import { type KeySet, remoteKeySet } from '../../../src/jwt.ts'
import { type D1Binding, d1Store } from '../../../stores/d1.ts'
import { durableObjectStore, type EventNamespace } from '../../../stores/durable-object.ts'

export { EventStoreObject } from '../../../stores/durable-object.ts'

interface Env {
  readonly DB: D1Binding
  readonly EVENTS: EventNamespace
}

interface Asked {
  readonly engine: 'd1' | 'durable-object'
  readonly verb: 'claim' | 'commit' | 'release' | 'attempt'
  readonly key: EventKey
  readonly owner: string
  readonly ms: number
  /** Of an attempt: told of its work, by a request with the event's id. */
  readonly effectUrl: string
}

const RETENTION_MS = 3_600_000
const keySets = new Map<string, KeySet>()

async function storeOf(engine: Asked['engine'], env: Env): Promise<EventStore> {
  if (engine === 'durable-object') return durableObjectStore(env.EVENTS)
  const store = d1Store(env.DB)
  await store.migrate()
  return store
}

/** Claim, effect, commit. Each step is told as soon as it is over, for as long as there is somebody to tell it. */
function attempt(store: EventStore, { key, owner, ms, effectUrl }: Asked): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const tell = (step: string) => writer.write(new TextEncoder().encode(`${step}\n`))
  const run = async () => {
    const answer = await store.claim(key, owner, ms)
    await tell(`claim ${answer}`)
    if (answer === 'acquired') {
      await fetch(`${effectUrl}/${key.eventId}`)
      await tell('effect')
      await tell(`commit ${await store.commit(key, owner, RETENTION_MS)}`)
    }
    await writer.close()
  }
  run().catch((error) => writer.abort(error))
  return new Response(readable)
}

async function answerOf(asked: Asked, env: Env): Promise<Response> {
  const store = await storeOf(asked.engine, env)
  const { verb, key, owner, ms } = asked
  if (verb === 'attempt') return attempt(store, asked)
  return Response.json(await store[verb](key, owner, ms))
}

/** `leave`: answers, and so ends, while the key host is being asked. */
async function find({ searchParams }: URL): Promise<Response> {
  const host = searchParams.get('host') ?? ''
  const options = {
    allowInsecureLoopback: true,
    timeoutSeconds: 1,
    ...(searchParams.has('waitUntil') && { waitUntil }),
  }
  const keySet = keySets.get(host) ?? remoteKeySet(host, options)
  keySets.set(host, keySet)
  const finding = Promise.resolve(keySet.find('k1', 'ES256'))
  if (searchParams.has('leave')) {
    finding.catch(() => {})
    await fetch(new URL('/asked', host))
    return new Response('left')
  }
  const key = await finding
  return new Response(typeof key === 'string' ? key : 'a key')
}

const isUndecided = (error: unknown) => error instanceof EventStoreError || error instanceof KeySetError

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url)
    try {
      if (url.pathname === '/keys') return await find(url)
      // A cast, because only the tests reach it.
      return await answerOf((await request.json()) as Asked, env)
    } catch (error) {
      return new Response(String(error), { status: isUndecided(error) ? 503 : 500 })
    }
  },
}
