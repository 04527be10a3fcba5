/** A Worker as users write one. Tests call it from outside, and it reports what its stores and key sets answer. */
import { waitUntil } from 'cloudflare:workers'
import { Hono } from 'hono'
import { observeWebhook as onHono } from '../../../adapters/hono.ts'
import { observeWebhook, webhookHandler } from '../../../adapters/web.ts'
import {
  defineListener,
  type EventKey,
  type EventStore,
  EventStoreError,
  KeySetError,
} from '../../../src/index.ts'
import { type KeySet, remoteKeySet } from '../../../src/jwt.ts'
import { github } from '../../../src/schemes/github.ts'
import { durableObjectStore, type EventNamespace } from '../../../src/stores/durable-object/store.ts'
import { type D1Binding, d1Store } from '../../../src/stores/sqlite/d1.ts'

export { EventStoreObject } from '../../../src/stores/durable-object/store.ts'

interface Env {
  readonly DB: D1Binding
  readonly EVENTS: EventNamespace
}

interface Asked {
  readonly engine: 'd1' | 'durable-object'
  readonly verb: 'claim' | 'commit' | 'release' | 'renew' | 'attempt'
  readonly key: EventKey
  readonly owner: string
  readonly ms: number
  /** For an attempt: gets a request after each step. */
  readonly effectUrl: string
}

const RETENTION_MS = 3_600_000
const GITHUB_SECRET = 'the-secret-of-the-webhook'
/** What `onError` got since it was last asked for. */
const told: string[] = []
const keySets = new Map<string, KeySet>()
let isMigrated = false

async function storeOf(engine: Asked['engine'], env: Env): Promise<EventStore> {
  if (engine === 'durable-object') return durableObjectStore(env.EVENTS)
  const store = d1Store(env.DB)
  if (!isMigrated) await store.migrate()
  isMigrated = true
  return store
}

/** Claim, effect, commit. Reports each step to `effectUrl` as soon as it is over. */
async function attempt(store: EventStore, { key, owner, ms, effectUrl }: Asked): Promise<string> {
  const tell = (step: string) => fetch(`${effectUrl}/${key.eventId}/${step}`)
  const answer = await store.claim(key, owner, ms)
  await tell(answer)
  if (answer === 'acquired') {
    await tell('effect')
    await tell(await store.commit(key, owner, RETENTION_MS))
  }
  return answer
}

async function answerOf(asked: Asked, env: Env): Promise<Response> {
  const store = await storeOf(asked.engine, env)
  const { verb, key, owner, ms } = asked
  if (verb === 'attempt') return Response.json(await attempt(store, asked))
  if (verb === 'renew') return Response.json(await store.renew?.(key, owner, ms))
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

/** An endpoint that echoes what it reads, with hookgate beside it. Its store hangs, and each verdict goes to `tell`. */
async function observed(request: Request, { searchParams }: URL): Promise<Response> {
  const hang = () => new Promise<never>(() => {})
  const tell = (body: string) => waitUntil(fetch(searchParams.get('tell') ?? '', { method: 'POST', body }))
  const listener = defineListener({
    id: 'github',
    auth: github({ secrets: GITHUB_SECRET }),
    store: { claim: hang, commit: hang, release: hang },
    maxBodyBytes: 100_000,
    onVerdict: (verdict, { enforced }) => tell(`${verdict.reason ?? 'accepted'}, enforced: ${enforced}`),
    onError: (error) => tell(String(error)),
  })
  const echo = async (given: Request) => new Response(await given.text(), { status: 202 })
  if (searchParams.has('alone')) return echo(request)
  if (!searchParams.has('hono')) {
    waitUntil(observeWebhook(listener, request, await request.clone().text()))
    return echo(request)
  }
  const app = new Hono().post('*', async (c) => {
    waitUntil(onHono(listener, c, await c.req.raw.clone().text()))
    return echo(c.req.raw)
  })
  return app.fetch(request)
}

/** An endpoint whose handler takes as long as its event says. */
async function worked(request: Request, env: Env, { searchParams }: URL): Promise<Response> {
  const listener = defineListener({
    id: 'worked',
    auth: github({ secrets: GITHUB_SECRET }),
    store: await storeOf(searchParams.get('engine') === 'd1' ? 'd1' : 'durable-object', env),
    leaseSeconds: Number(searchParams.get('lease')),
    maxRunSeconds: Number(searchParams.get('most') ?? 60),
    onError: (error) => {
      told.push(String(error))
    },
  })
  const handle = webhookHandler(listener, async ({ payload, signal }) => {
    const ms = Number(Reflect.get(Object(payload), 'ms'))
    await new Promise((resolve) => setTimeout(resolve, ms))
    return Response.json({ isAborted: signal.aborted, told: told.splice(0) })
  })
  return handle(request)
}

const isUndecided = (error: unknown) => error instanceof EventStoreError || error instanceof KeySetError

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url)
    try {
      if (url.pathname === '/keys') return await find(url)
      if (url.pathname === '/observed') return await observed(request, url)
      if (url.pathname === '/worked') return await worked(request, env, url)
      // A cast, because only the tests call it.
      return await answerOf((await request.json()) as Asked, env)
    } catch (error) {
      return new Response(String(error), { status: isUndecided(error) ? 503 : 500 })
    }
  },
}
