import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineListener, type Listener, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { liveBytes } from '../support/live-memory.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

interface Case {
  readonly name: string
  readonly url?: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body?: string
  readonly options?: object
  readonly expect: { readonly ok: boolean }
}

interface Vectors {
  readonly scheme: string
  readonly options: object
  readonly now: number
  /** Set if the sender's keys are fetched. */
  readonly fetches?: object
  readonly cases: readonly Case[]
}

const WAITING = 12
const KB = 1024
/** What a waiting request holds besides its body: its headers, its promises and a token of up to 8 KB. */
const CONSTANT_BYTES = 64 * KB

/** Kept, so that what waits for them is kept as well. */
const unsettled: unknown[] = []
const never = () => new Promise<never>((...settle) => void unsettled.push(settle))
/** The senders whose host has been asked. It never answers. */
const asked = new Set<string>()

const kindOf = ({ options, body }: Case) => JSON.stringify([options, body?.includes('validationTokens')])

/** A listener whose sender's host never answers, and a genuine delivery. Once for each set of options. */
async function hangingSenders({ scheme, options, now, fetches, cases }: Vectors) {
  const factory = await schemeFactory(scheme)
  const clock = { now: () => now * 1000 }
  const genuine = cases.filter(({ expect: { ok } }) => ok)
  const known = new Map(genuine.map((each) => [kindOf(each), each]))
  return [...known.values()].map((delivery) => {
    const id = `${scheme}, ${delivery.name}`
    const ask = () => {
      asked.add(id)
      return never()
    }
    const host: object | undefined = fetches && {
      [scheme === 'plaid' ? 'findKey' : 'fetch']: ask,
      timeoutSeconds: 300,
    }
    const auth = factory({ ...options, ...delivery.options, ...host })
    const store = memoryStore({ clock, maxRecords: 10 })
    return { id, delivery, listener: defineListener({ id: scheme, auth, clock, store }) }
  })
}

type Hanging = Awaited<ReturnType<typeof hangingSenders>>[number]

/**
 * The genuine body with a member that no signature covers, in `size` bytes. For SNS, a longer message. One character makes
 * engines store two bytes for each of the others.
 */
function grown({ body = '' }: Case, size: number): Buffer {
  const pad = (text: string, room: number) =>
    `\u20ac${'a'.repeat(Math.max(0, room - Buffer.byteLength(text)))}`
  if (body.includes('"Message":'))
    return Buffer.from(body.replace(/"Message": *"/, `$&${pad(body, size - 20)}`))
  if (body.includes('{')) return Buffer.from(body.replace('{', `{"pad":"${pad(body, size - 20)}",`))
  if (/^[\w%]+=/.test(body)) return Buffer.from(`${body}&pad=${pad(body, size - 20)}`)
  return Buffer.from(body)
}

/** A token over this body, as Plaid's: everything about it is right but its signature. */
function headersFor(body: Buffer, { headers }: Case): ReadonlyMap<string, string> {
  const known = new Map(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const [header = '', claims = '', signature] = (known.get('plaid-verification') ?? '').split('.')
  if (claims === '') return known
  const hash = createHash('sha256').update(body).digest('hex')
  const changed = { ...JSON.parse(`${Buffer.from(claims, 'base64url')}`), request_body_sha256: hash }
  const segment = Buffer.from(JSON.stringify(changed)).toString('base64url')
  return known.set('plaid-verification', `${header}.${segment}.${signature}`)
}

/** Begins a verification. Its body is held by nothing else. Returns whether it has ended. */
function begin(listener: Listener, delivery: Case, size: number): () => boolean {
  const body = grown(delivery, size)
  const headers = headersFor(body, delivery)
  let isOver = false
  const over = () => {
    isOver = true
  }
  const header = (name: string) => headers.get(name)
  verify({ method: 'POST', url: delivery.url, header, body, sourceIp: undefined }, listener).then(over, over)
  return () => isOver
}

/** Finishes all work that waits only for the event loop or the thread pool. */
const { digest } = crypto.subtle
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await digest.call(crypto.subtle, 'SHA-256', new Uint8Array(1))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The bytes that each of several waiting requests holds. Undefined if they do not wait. */
async function heldBytes({ delivery, listener }: Hanging, size: number): Promise<number | undefined> {
  const first = begin(listener, delivery, size)
  await turns()
  if (first()) return undefined
  const before = liveBytes()
  const over = Array.from({ length: WAITING }, () => begin(listener, delivery, size))
  await turns()
  const held = (liveBytes() - before) / WAITING
  expect(over.some((isOver) => isOver())).toBe(false)
  return held
}

const all: readonly Vectors[] = SCHEME_NAMES.map((name) =>
  JSON.parse(readFileSync(new URL(`../vectors/schemes/${name}.json`, import.meta.url), 'utf8')),
)
const senders: readonly Hanging[] = (await Promise.all(all.map(hangingSenders))).flat()

/** The size of a scheme's largest body, or 1 MB. */
const sizeFor = ({ listener }: Hanging) => Math.min(1024 * KB, listener.maxBodyBytes)

for (const { listener, delivery } of senders) begin(listener, delivery, KB)
await turns()
const remote = senders.filter(({ id }) => asked.has(id))

describe('a request that waits for a key or a certificate', () => {
  it('such a request is one of several kinds: the test finds them', () => {
    expect(new Set(remote.map(({ listener }) => listener.id)).size).toBeGreaterThan(3)
  })

  it.each(remote)('a waiting request holds at most 1.5 times its bytes: $id', async (sender) => {
    const size = sizeFor(sender)
    expect(size).toBeGreaterThanOrEqual(256 * KB)
    expect(await heldBytes(sender, size)).toBeLessThanOrEqual(1.5 * size)
  })

  it.each(remote)('a waiting request holds at most 64 KB more if it is small: $id', async (sender) => {
    expect(await heldBytes(sender, 4 * KB)).toBeLessThanOrEqual(1.5 * 4 * KB + CONSTANT_BYTES)
  })
})

describe('while a signature is computed', () => {
  /** Not spies, which would keep what they are given. */
  async function withHangingCrypto<T>(run: () => Promise<T>): Promise<T> {
    const { sign, verify: check } = crypto.subtle
    Object.assign(crypto.subtle, { digest: never, sign: never, verify: never })
    try {
      return await run()
    } finally {
      Object.assign(crypto.subtle, { digest, sign, verify: check })
    }
  }

  /** Where nothing is signed, a body is authentic as soon as it is read, unless its sender's host is asked. */
  const readers = senders.filter(({ id, listener }) => {
    const { scheme } = listener.protocol
    return scheme?.signature.member !== undefined && (scheme.covers !== 'token' || asked.has(id))
  })

  it.each(readers)('nothing parsed is held: $id', async (sender) => {
    const size = sizeFor(sender)
    const held = await withHangingCrypto(() => heldBytes(sender, size))
    if (held !== undefined) expect(held).toBeLessThanOrEqual(1.5 * size)
  })
})
