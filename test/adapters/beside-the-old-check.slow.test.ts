import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  defineListener,
  type EventStore,
  type Listener,
  type Verdict,
  type VerdictContext,
} from '../../src/index.ts'
import { pubsub } from '../../src/schemes/pubsub.ts'
import { keyHost } from '../support/key-host.ts'
import { schemeFactory } from '../support/schemes.ts'
import { type Beside, type Endpoint, OLD_HANDLERS, type OldHandler, type Sent } from './old-handlers.ts'

interface Vector {
  readonly name: string
  readonly method: string
  readonly requestUrl?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly bodyBase64?: string
  readonly options?: VectorOptions
  readonly expect: { readonly ok: boolean; readonly reason?: string }
}

interface VectorOptions {
  readonly secrets: string | readonly { readonly id: string; readonly secret: string }[]
  readonly publicUrl?: string
}

interface VectorFile {
  readonly options: VectorOptions
  readonly now: number
  readonly cases: readonly Vector[]
}

const root = new URL('../../', import.meta.url)
const vectorsOf = (name: string): VectorFile =>
  JSON.parse(readFileSync(new URL(`test/vectors/schemes/${name}.json`, root), 'utf8'))

const SENDERS = ['stripe', 'github', 'slack', 'twilio'] as const
const PUBSUB = vectorsOf('pubsub')

/** The recipe, as the page prints it. */
const page = readFileSync(new URL('docs/migrate/beside-the-old-check.md', root), 'utf8')
const recipe = /^```js\n(.*?)^```$/ms.exec(page)?.[1] ?? ''
const {
  compare,
  compared,
}: {
  compare(verdict: Verdict, context: VerdictContext): Promise<void>
  compared: Beside['compared']
} = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(recipe)}`)

/** A request, and what each side should make of it. */
interface Row {
  readonly sent: Sent
  readonly endpoint: Endpoint
  readonly vector: Vector
}

/** A store that counts its calls and never answers. */
function hangingStore() {
  let calls = 0
  const hang = () => {
    calls += 1
    return new Promise<never>(() => {})
  }
  const store: EventStore = { claim: hang, commit: hang, release: hang }
  return { store, calls: () => calls }
}

/** All vectors of the four senders, with a second listener whose key host accepts connections and never answers. */
async function rowsWith(
  tell: (path: string, verdict: Verdict) => void,
  fail: (path: string, error: unknown) => void,
) {
  const host = await keyHost(() => {})
  const { store, calls } = hangingStore()
  const [token] = PUBSUB.cases
  const authorization = token?.headers.find(([name]) => name === 'Authorization') ?? ['', '']
  const { secrets: _, ...options } = PUBSUB.options
  const keyless: Listener = defineListener({
    id: 'pubsub',
    auth: pubsub({
      ...(options as object as Parameters<typeof pubsub>[0]),
      fetch: (_url, init) => fetch(host.url, init),
    }),
    store,
    clock: { now: () => PUBSUB.now * 1000 },
    onVerdict: null,
    onError: null,
  })
  const rows: Row[] = []
  for (const sender of SENDERS) {
    const factory = await schemeFactory(sender)
    const { options, now, cases } = vectorsOf(sender)
    cases.forEach((vector, index) => {
      const given = { ...options, ...vector.options }
      const { publicUrl = 'https://receiver.example/', secrets } = given
      const path = `/${sender}/${index}${new URL(vector.requestUrl ?? publicUrl).search}`
      const listener = defineListener({
        id: `${sender}-${index}`,
        auth: factory(given),
        store,
        clock: { now: () => now * 1000 },
        onVerdict(verdict, context) {
          tell(path, verdict)
          return compare(verdict, context)
        },
        onError: (error) => fail(path, error),
      })
      const bytes = Buffer.from(vector.bodyBase64 ?? vector.body ?? '', vector.bodyBase64 ? 'base64' : 'utf8')
      rows.push({
        vector,
        sent: { method: vector.method, path, headers: [...vector.headers, authorization], body: bytes },
        endpoint: {
          sender,
          secrets: typeof secrets === 'string' ? [secrets] : secrets.map(({ secret }) => secret),
          now,
          publicUrl,
          listeners: [listener, keyless],
        },
      })
    })
  }
  return { rows, storeCalls: calls, host }
}

const BODY_GONE = expect.objectContaining({
  code: 'ERR_LISTENER_CONFIG',
  message: expect.stringMatching(/^body: was read before observeWebhook could/),
})

/** Whether the old handler's answer says that it has read the body. */
function wasRead(text: string): boolean {
  return text.includes('"isRead":true')
}

type Answered = Awaited<ReturnType<typeof run>>['answers'][number]

/** Sends every row to the handler with and without hookgate beside it. */
async function run(handler: OldHandler) {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {}) // Express writes what its parsers refuse
  const verdicts = new Map<string, Verdict[]>()
  const errors = new Map<string, unknown[]>()
  const push =
    <Value>(map: Map<string, Value[]>) =>
    (path: string, value: Value) =>
      void map.set(path, [...(map.get(path) ?? []), value])
  const { rows, storeCalls, host } = await rowsWith(push(verdicts), push(errors))
  const byPath = new Map(rows.map(({ sent, endpoint }) => [sent.path, endpoint]))
  const endpoints = (path: string) => {
    const found = byPath.get(path)
    if (found === undefined) throw new Error(path)
    return found
  }
  const alone = await handler.start(endpoints, undefined)
  const watched = await handler.start(endpoints, { compared, listeners: 2 })
  const sendable = rows.filter(({ sent }) => !handler.isWeb || isWebRequest(sent))
  const answers = await inTurns(sendable, async (row) => ({
    row,
    before: await alone(row.sent),
    after: await watched(row.sent),
  }))
  const lines = () => said.mock.calls.map(([line]) => `${line}`)
  return { answers, verdicts, errors, lines, storeCalls, host }
}

function isWebRequest({ method, headers, body }: Sent): boolean {
  return !headers.some(([, value]) => value.includes(', ')) && (method !== 'GET' || body.byteLength === 0)
}

/** Runs a few at a time, like concurrent connections. */
async function inTurns<Given, Done>(
  all: readonly Given[],
  work: (one: Given) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = []
  for (let start = 0; start < all.length; start += 32) {
    done.push(...(await Promise.all(all.slice(start, start + 32).map(work))))
  }
  return done
}

/** Whether hookgate must have a verdict: the handler ran, and left the exact bytes. */
function isJudged({ leaves }: OldHandler, { row: { vector, sent }, after: { text } }: Answered): boolean {
  if (!text.includes('"isRead"')) return false
  if (sent.body.byteLength === 0) return true
  return wasRead(text) && (leaves === 'bytes' || (leaves === 'text' && !vector.bodyBase64))
}

/** The line of the recipe for a request whose two verdicts differ, up to the detail. */
function lineOf({ row: { sent, vector }, after: { status } }: Answered): string[] {
  const { ok, reason } = vector.expect
  if (status < 300 === ok) return []
  return [`${sent.path}: answered ${status}, hookgate: ${ok ? 'accepted' : reason}`]
}

afterEach(() => void vi.restoreAllMocks())

it('the recipe has 15 lines', () => {
  expect(recipe.trim().split('\n').length).toBeLessThanOrEqual(15)
})

describe.each(OLD_HANDLERS)('$name', (handler) => {
  it('the old handler answers as before while the store and a key host hang, and the recipe names each difference', async () => {
    const { answers, verdicts, errors, lines, storeCalls, host } = await run(handler)
    for (const { row, before, after } of answers) expect(after, row.vector.name).toEqual(before)

    const judged = answers.flatMap((answered) => (isJudged(handler, answered) ? [answered.row.sent] : []))
    // Only a POST gets as far as the keys.
    const asks = judged.some(({ method }) => method === 'POST') ? 1 : 0
    await expect.poll(() => host.requests).toBe(asks)
    const paths = judged.map(({ path }) => path)
    await expect.poll(() => [...verdicts.keys()]).toEqual(expect.arrayContaining(paths))
    const seen = answers.flatMap(({ row: { sent, vector } }) =>
      (verdicts.get(sent.path) ?? []).map(({ ok, reason }) => ({
        ok,
        reason,
        name: vector.name,
        path: sent.path,
      })),
    )
    const expected = answers.filter(({ row }) => verdicts.has(row.sent.path))
    expect(seen).toEqual(
      expected.map(({ row: { sent, vector } }) => ({
        ok: vector.expect.ok,
        reason: vector.expect.reason,
        name: vector.name,
        path: sent.path,
      })),
    )

    const differences = expected.flatMap(lineOf).toSorted()
    const told = () => lines().map((line) => line.replace(/(hookgate: \w+): .*$/, '$1'))
    await expect.poll(() => told().toSorted()).toEqual(differences)

    const gone = answers.filter(
      ({ row: { vector }, after: { text } }) =>
        wasRead(text) && (handler.leaves === 'nothing' || (handler.leaves === 'text' && vector.bodyBase64)),
    )
    for (const { row } of gone) expect(errors.get(row.sent.path), row.vector.name).toEqual([BODY_GONE])
    expect([...errors.values()].flat()).toEqual([...errors.values()].map(() => BODY_GONE))
    expect(storeCalls()).toBe(0)
  })
})
