import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineListener, type Reply, replyTo, verify } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { spyStore } from '../support/spy-store.ts'
import { type VectorFetches, vectorFetch } from '../support/vector-fetch.ts'

interface Shaken {
  readonly scheme: string
  readonly name: string
  readonly options: Omit<SchemeOptions, 'onHandshake'> & { readonly onHandshake?: true }
  readonly now: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly (readonly [string, string])[]
    readonly body: string
  }
  readonly reply: {
    readonly status: number
    /** Patterns. If there are any, no other header may be present. */
    readonly headers?: { readonly [name: string]: string }
    readonly body?: string
    readonly json?: unknown
  }
  readonly fetches?: VectorFetches
  /** The URL to fetch as an answer. */
  readonly visits?: string | null
  /** The secret in the handshake. */
  readonly brings?: string
}

const handshakes: readonly Shaken[] = JSON.parse(
  readFileSync(new URL('../vectors/schemes/handshakes.json', import.meta.url), 'utf8'),
)

const mine = handshakes.filter(({ scheme }) => SCHEME_NAMES.includes(scheme))

async function shake({ scheme, options, now, request, fetches }: Shaken) {
  const brought: string[] = []
  const asked: string[] = []
  const factory = await schemeFactory(scheme)
  const clock = { now: () => now * 1000 }
  const { store, calls } = spyStore(memoryStore({ clock, maxRecords: 10 }))
  const { onHandshake, ...rest } = options
  const listener = defineListener({
    id: scheme,
    auth: factory({
      ...rest,
      ...(fetches && vectorFetch(fetches, asked)),
      ...(onHandshake && { onHandshake: ({ secret }: { secret: string }) => brought.push(secret) }),
    }),
    store,
    clock,
  })
  const verdict = await verify(
    {
      method: request.method,
      url: request.url,
      header: (name) => request.headers.find(([other]) => other.toLowerCase() === name)?.[1],
      body: Buffer.from(request.body),
      sourceIp: undefined,
    },
    listener,
  )
  if (verdict.ok) throw new Error('a handshake reached the handler')
  return { reply: replyTo(verdict), brought, calls, asked }
}

function expectReply(reply: Reply, { status, headers, body, json }: Shaken['reply']): void {
  expect(reply.status).toBe(status)
  for (const [name, pattern] of Object.entries(headers ?? {})) {
    expect(reply.headers[name]).toMatch(new RegExp(pattern))
  }
  if (body !== undefined) expect(reply.body).toBe(body)
  if (json !== undefined) expect(JSON.parse(reply.body)).toEqual(json)
}

describe.each(mine)('the handshake of $scheme', (given) => {
  it(`${given.name}: is answered, and claims nothing`, async () => {
    const { reply, brought, calls, asked } = await shake(given)
    expectReply(reply, given.reply)
    expect(brought).toEqual(given.brings === undefined ? [] : [given.brings])
    expect(calls).toEqual([])
    expect(asked.filter((url) => !url.endsWith('.pem'))).toEqual(given.visits ? [given.visits] : [])
  })
})

it('the test reads what it judges', () => {
  expect(mine.length).toBeGreaterThan(20)
})
