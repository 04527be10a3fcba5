/**
 * The endpoint of a matrix row, inside workerd. The store, the clock, the handler, the hooks and the lookup stay on
 * Node with the row, and the worker calls them over loopback. Everything that decides about a delivery runs here.
 */
import { Hono } from 'hono'
import { verifyWebhook } from '../../../../adapters/hono.ts'
import { webhookHandler } from '../../../../adapters/web.ts'
import {
  type Authenticator,
  defineListener,
  hmac,
  KeySetError,
  type Listener,
  ListenerLoadError,
  type WebhookEvent,
} from '../../../../src/index.ts'
import { jwt, type KeySet, localKeySet } from '../../../../src/jwt.ts'
import type { HandleAnswer, Recipe, State } from './protocol.ts'
import { schemeAuth } from './schemes.ts'

interface Bindings {
  /** The URL of the row. */
  readonly ROW: string
  readonly ADAPTER: 'hono' | 'web'
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void
}

/** Asks the row, and throws its errors here. */
async function ask(env: Bindings, question: string, content: object = {}) {
  const response = await fetch(`${env.ROW}/${question}`, { method: 'POST', body: JSON.stringify(content) })
  const { value, error } = JSON.parse(await response.text())
  if (error?.name === 'KeySetError') throw new KeySetError(error.message, error.retryAfterSeconds)
  if (error?.name === 'ListenerLoadError') throw new ListenerLoadError(error.message)
  if (error) throw Object.assign(new Error(), error)
  return value
}

function authOf({ names, secret, sender }: Recipe, keySet: KeySet): Authenticator {
  if (sender) return schemeAuth(sender.name, sender.options)
  return secret === undefined ? jwt({ ...names, keySet }) : hmac({ secrets: { id: 'main', secret } })
}

/** The row's listener for one request. Its clock stands still, and its hooks belong to the request. */
function listenerOf(env: Bindings, state: State, id: string, notes: Promise<unknown>[]): Listener {
  const { recipe, settings } = state
  const tell = (what: string, content: object) => {
    notes.push(ask(env, what, { id, ...content }))
  }
  const keySet: KeySet = {
    async find(keyId, algorithm) {
      await ask(env, 'find', { keyId, algorithm })
      return localKeySet({ keys: recipe.keys }).find(keyId, algorithm)
    },
  }
  return defineListener({
    ...settings,
    id,
    auth: authOf(recipe, keySet),
    clock: { now: () => state.now },
    store: {
      claim: (...args) => ask(env, 'store', { verb: 'claim', args }),
      commit: (...args) => ask(env, 'store', { verb: 'commit', args }),
      release: (...args) => ask(env, 'store', { verb: 'release', args }),
      ...(state.isTransactional && { accepted() {} }),
      ...(state.renews && { renew: (...args) => ask(env, 'store', { verb: 'renew', args }) }),
    },
    ...(state.hasSchema && {
      payload: {
        '~standard': { version: 1, vendor: 'row', validate: (value) => ask(env, 'validate', { value }) },
      },
    }),
    onVerdict: (verdict, context) => tell('verdict', { verdict, context }),
    onError: (error, context) => {
      const { name, message, code, retryAfterSeconds } = Object(error)
      tell('failure', { error: { name, message, code, retryAfterSeconds }, context })
    },
  })
}

const ANSWER_TYPE = { 'content-type': 'application/json' }
const respond = (status: number) =>
  new Response(JSON.stringify({ handler: status }), { status, headers: ANSWER_TYPE })

async function handle(env: Bindings, event: WebhookEvent): Promise<Response> {
  const { id, listenerId, payload, auth, sentAt } = event
  const rawBody = [...event.rawBody]
  const { status, acts }: HandleAnswer = await ask(env, 'handle', {
    id,
    listenerId,
    payload,
    auth,
    sentAt,
    rawBody,
  })
  for (const act of acts) await event[act]()
  return respond(status)
}

async function fail(env: Bindings, error: unknown): Promise<Response> {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  await ask(env, 'fail', { name, message })
  return respond(500)
}

/** Parsed by hand, because with two Host headers `URL` rejects the URL. */
function pathOf({ url }: Request): string {
  return url.replace(/^https?:\/\/[^/]*/, '')
}

type App = (request: Request) => Promise<Response>

/** One app per row, so that its bodies are counted together. Each request finds the listener anew. */
function makeApp(env: Bindings, options: object): App {
  const find = async (request: Request) => {
    const { state, notes } = current(request)
    const id = await ask(env, 'lookup', { path: pathOf(request) })
    return id === undefined ? undefined : listenerOf(env, state, id, notes)
  }
  if (env.ADAPTER === 'web') {
    const handler = webhookHandler(find, (event) => handle(env, event), options)
    return (request) => handler(request, { sourceIp: undefined }).catch((error) => fail(env, error))
  }
  const app = new Hono()
  const guard = verifyWebhook((c) => find(c.req.raw), { ...options, sourceIp: () => undefined })
  app.all('*', guard, (c) => handle(env, c.var.webhook))
  app.onError((error) => fail(env, error))
  return async (request) => app.fetch(request)
}

interface Current {
  readonly state: State
  readonly notes: Promise<unknown>[]
}
const requests = new WeakMap<Request, Current>()
function current(request: Request): Current {
  const found = requests.get(request)
  if (found === undefined) throw new Error('not a request of this worker')
  return found
}

let app: { readonly row: number; readonly run: App } | undefined

async function serve(request: Request, env: Bindings): Promise<Response> {
  const state: State = await ask(env, 'state')
  if (app?.row !== state.row) app = { row: state.row, run: makeApp(env, state.options) }
  const notes: Promise<unknown>[] = []
  requests.set(request, { state, notes })
  const response = await app.run(request)
  await Promise.allSettled(notes)
  return response
}

export default {
  fetch(request: Request, env: Bindings, context: Waiting): Promise<Response> {
    const done = serve(request, env)
    context.waitUntil(done) // before any await, because a sender that leaves would end it
    return done
  },
}
