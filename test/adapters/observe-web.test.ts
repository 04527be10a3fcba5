import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { observeWebhook as onHono } from '../../adapters/hono.ts'
import { observeWebhook as onWeb } from '../../adapters/web.ts'
import { defineListener, type EventStore } from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { signAs } from '../../src/testing/index.ts'
import { type FetchApp, serveFetch } from '../support/fetch-servers.ts'
import { Log } from '../support/log.ts'
import { ENGINE, IN_WORKERD } from '../support/runtime.ts'

const secret = 'the-secret-of-the-webhook'
const LIMIT = 100_000

/** A GitHub listener whose store never answers, and what it hears. */
function observed() {
  const asked: string[] = []
  const hang = (verb: string) => () => {
    asked.push(verb)
    return new Promise<never>(() => {})
  }
  const store: EventStore = { claim: hang('claim'), commit: hang('commit'), release: hang('release') }
  const told = new Log<string>()
  const listener = defineListener({
    id: 'github',
    auth: github({ secrets: secret }),
    store,
    maxBodyBytes: LIMIT,
    onVerdict: (verdict, { enforced }) => told.add(`${verdict.reason ?? 'accepted'}, enforced: ${enforced}`),
    onError: (error) => told.add(String(error)),
  })
  return { listener, told, asked }
}

/** Keeps the work alive after the response, where the runtime would end it. */
const workers = IN_WORKERD ? await import('cloudflare:workers') : undefined
const options = workers ? { waitUntil: workers.waitUntil } : {}

type Send = (init: RequestInit) => Promise<Response>

/** Over a socket of the runtime's own server on Bun and Deno. Node and workerd have tests with sockets of their own. */
async function serve(app: FetchApp): Promise<Send> {
  if (ENGINE === 'node' || IN_WORKERD)
    return async (init) => app(new Request('http://localhost/', init), undefined)
  const { address } = await serveFetch(app)
  return (init) => fetch(`http://127.0.0.1:${Object(address).port}/`, init)
}

/** A typical handler, which answers with what it read. */
const echo = (body: Bytes) => new Response(body, { status: 202, headers: { 'x-old': 'yes' } })

async function inChunks({ body }: { readonly body?: Request['body'] | undefined }): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of body ?? []) chunks.push(chunk)
  return new Blob(chunks).arrayBuffer()
}

type Bytes = string | ArrayBuffer
type Read = (request: Request) => Promise<Bytes>

const HANDLERS: { readonly [name: string]: Read } = {
  'request.text()': (request) => request.text(),
  'request.arrayBuffer()': (request) => request.arrayBuffer(),
  'its stream': inChunks,
  'a clone': (request) => request.clone().text(),
  'both branches of its stream': async ({ body }) => {
    const [first, second] = body?.tee() ?? []
    const all = await Promise.all([first, second].map((branch) => inChunks({ body: branch })))
    const texts = all.map((bytes) => new TextDecoder().decode(bytes))
    return texts[0] === texts[1] ? `${texts[0]}` : 'two texts'
  },
  'its stream, through a pipe': ({ body }) => inChunks({ body: body?.pipeThrough(new TransformStream()) }),
  'request.blob()': async (request) => (await request.blob()).arrayBuffer(),
}

const MOUNTS: {
  readonly [name: string]: (read: Read, listener?: ReturnType<typeof observed>['listener']) => FetchApp
} = {
  'a fetch handler'(read, listener) {
    const handler = async (request: Request) => echo(await read(request))
    return listener ? onWeb(listener, handler, options) : handler
  },
  Hono(read, listener) {
    const app = new Hono()
    if (listener) app.use(onHono(listener, options))
    app.post('/', async (c) => echo(await read(c.req.raw)))
    return (request) => app.fetch(request)
  },
}

async function delivery(body: string, changed = body): Promise<RequestInit> {
  const { headers } = await signAs(github, { secret, body, eventType: 'push' })
  return { method: 'POST', headers, body: changed }
}

async function answerOf(response: Response) {
  const { status, headers } = response
  return { status, old: headers.get('x-old'), type: headers.get('content-type'), body: await response.text() }
}

const BODY = '{"ref":"refs/heads/main", "commits":[]}'
const HUGE = JSON.stringify({ ref: 'x'.repeat(3_000_000) })

describe.each(Object.entries(MOUNTS))('observeWebhook in front of %s', (_, mount) => {
  it.each(Object.entries(HANDLERS))(
    'an old handler that reads %s changes no answer, and reports each verdict',
    async (_, read) => {
      const { listener, told, asked } = observed()
      const [alone, beside] = [await serve(mount(read)), await serve(mount(read, listener))]
      const rows = [
        [await delivery(BODY), 'accepted'],
        [await delivery(BODY), 'accepted'], // nothing remembers the first
        [await delivery(BODY, BODY.replace('main', 'evil')), 'signature_mismatch'],
        [{ method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY }, 'auth_missing'],
        [await delivery(HUGE), 'body_too_large'],
      ] as const
      for (const [init, verdict] of rows) {
        const before = told.entries.length
        const answer = await answerOf(await beside(init))
        expect(answer).toEqual(await answerOf(await alone(init)))
        expect(answer).toMatchObject({ status: 202, old: 'yes', body: init.body })
        await told.reaches(before + 1)
        expect(told.entries.slice(before)).toEqual([`${verdict}, enforced: false`])
      }
      expect(asked).toEqual([])
    },
  )

  it('an old handler that reads nothing reports nothing', async () => {
    const { listener, told } = observed()
    const send = await serve(mount(async ({ method }) => (method === 'POST' ? 'unread' : ''), listener))
    expect(await (await send(await delivery(BODY))).text()).toBe('unread')
    const reads = await serve(mount(HANDLERS['request.text()'] as Read, listener))
    await (await reads(await delivery(BODY, '{}'))).text()
    await told.reaches(1)
    expect(told.entries).toEqual(['signature_mismatch, enforced: false'])
  })
})
