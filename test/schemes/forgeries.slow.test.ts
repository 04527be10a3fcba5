import { describe, expect, inject, it } from 'vitest'
import type { Delivery } from '../../src/delivery.ts'
import { KeySetError } from '../../src/errors.ts'
import { defineListener, verify, type WebhookEvent } from '../../src/index.ts'
import { coverageOf } from '../../src/schemes/kit/compile-scheme.ts'
import { defineScheme, type SenderScheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { type Random, randomFrom } from '../oracle/random.ts'
import { type AnyFactory, SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { remoteOptions } from '../support/vector-fetch.ts'
import { deliveryOf, files, type VectorFile } from '../support/vectors.ts'
import { forgedFrom, type Request } from './forged-requests.ts'

/** Over all schemes, and by default 200 of each. `npm run test:forgeries` makes 100,000. */
const MUTATIONS = Number(process.env.HOOKGATE_MUTATIONS ?? 200 * SCHEME_NAMES.length)
const each = Math.ceil(MUTATIONS / SCHEME_NAMES.length)
const SEED = inject('seed') ?? Date.now() % 2 ** 31

/** The genuine requests of a scheme that its listener accepts, from its vectors. A new scheme has vectors, so it is in. */
function genuineRequests({ cases }: VectorFile): readonly Request[] {
  const accepted = cases.filter(({ expect: { ok }, options }) => ok && options === undefined)
  return accepted.map((given) => {
    const { method, url, body } = deliveryOf(given)
    return { method, url, headers: given.headers, body: Buffer.from(body) }
  })
}

function delivered({ method, url, headers, body }: Request): Delivery {
  const header = (name: string) => {
    const values = headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value)
    return values.length > 1 ? values : values[0]
  }
  return { method, url, header, body, sourceIp: undefined }
}

/** What the sender alone may decide of an event, as text. */
function vouchedFor(
  event: WebhookEvent,
  scheme: SenderScheme,
  request: Request,
  known: readonly string[],
): string {
  const { id, type, sentAt, payload, unsigned = [] } = event
  const { header } = delivered(request)
  const isByToken = scheme.name === 'revenuecat' && header('x-revenuecat-webhook-signature') === undefined
  const covers = isByToken ? 'token' : coverageOf(scheme)
  const carriers = isByToken ? ['authorization'] : scheme.signature.headers
  const sent = carriers.map((name) => `${header(name)}`.split(' ').at(-1) ?? '')
  // Of several headers one is enough, and the others may hold anything.
  const tokens = carriers.length > 1 ? sent.some((token) => known.includes(token)) : sent
  return JSON.stringify([
    unsigned.includes('id') || isByTopic(scheme) || id,
    unsigned.includes('type') || covers !== 'body' || isJoined(scheme) || type,
    unsigned.includes('sentAt') || sentAt,
    covers !== 'body' || (isJoined(scheme) ? joined(payload) : payload),
    (covers !== 'token' && covers !== 'nothing') || tokens,
  ])
}

/** The derived ID then has the topic in it, which nothing signs. */
const isByTopic = (scheme: SenderScheme) => scheme.algorithm !== 'code' && scheme.topics !== undefined

/** The sender joins the names and values of a form without a separator, as `limits` of the row says. */
const isJoined = (scheme: SenderScheme) => scheme.name === 'twilio'

const joined = (payload: unknown) =>
  Object.entries(payload ?? {})
    .sort()
    .flat(2)
    .join('')

/** Undecided is not accepted: the listener asks the key host only so often. */
const undecided = (error: unknown) => {
  if (error instanceof KeySetError) return undefined
  throw error
}

/** Changes genuine requests, and returns those that are accepted and say what the sender never said. */
async function forgeries(file: VectorFile, factory: AnyFactory, random: Random, tries: number) {
  const clock = { now: () => file.now * 1000 }
  const listener = defineListener({
    id: file.scheme,
    auth: factory({ ...file.options, ...(file.fetches && remoteOptions(file.scheme, file.fetches)) }),
    store: memoryStore({ clock, maxRecords: 100 }),
    clock,
  })
  const known = [file.options.secrets ?? []]
    .flat()
    .flatMap((entry) => (typeof entry === 'object' ? entry.secret : (entry ?? [])))
  const eventOf = async (request: Request) => {
    const verdict = await verify(delivered(request), listener).catch(undecided)
    if (!verdict?.ok) return undefined
    await verdict.event.release()
    return vouchedFor(verdict.event, factory.scheme, request, known)
  }
  const seen = genuineRequests(file)
  const genuine = new Set<string | undefined>()
  for (const request of seen) genuine.add(await eventOf(request)) // one by one: some are the same event
  let tried = 0
  let harmless = 0
  const forged: object[] = []
  for (; tried < tries; tried += 1) {
    const request = forgedFrom(random.pick(seen), random, seen)
    const event = await eventOf(request)
    if (event === undefined) continue
    if (genuine.has(event)) harmless += 1
    else forged.push({ event, headers: request.headers, body: request.body.toString('latin1') })
  }
  return { seen: seen.length, tried, harmless, forged }
}

const CARELESS = {
  name: 'acme',
  sender: 'Acme',
  secretName: 'secret',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['x-signature'], spelling: 'hex' },
  signs: '{timestamp}',
  timestamp: { header: 'x-time', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  covers: 'body',
  maxBodyBytes: 1000,
  limits: 'The body is not signed.',
} as const

describe(`forged deliveries (HOOKGATE_SEED=${SEED})`, () => {
  it.each(SCHEME_NAMES.map((name, index) => ({ name, index })))(
    'no stranger who has seen genuine deliveries of $name makes one of his own',
    async ({ name, index }) => {
      const file = files.find(({ scheme }) => scheme === name)
      if (file === undefined) throw new Error(`no vectors of ${name}: see test/schemes/vectors.test.ts`)
      const factory = await schemeFactory(name)
      const { seen, tried, harmless, forged } = await forgeries(file, factory, randomFrom(SEED + index), each)
      expect(forged.slice(0, 3)).toEqual([])
      expect(seen).toBeGreaterThan(0)
      expect(tried).toBe(each)
      expect(harmless, 'most changes break a delivery').toBeLessThan(tried)
    },
  )

  it('the changes find a scheme whose signature leaves out the body', async () => {
    const secret = 'the secret of a careless sender'
    const acme = defineScheme({ ...CARELESS })
    const { headers, body } = await signAs(acme, { secret, body: '{"a": 1}', timestamp: 1_763_640_000 })
    const genuine = { name: 'genuine', method: 'POST', headers: Object.entries(headers), body: `${body}` }
    const file = {
      scheme: 'acme',
      options: { secrets: secret },
      now: 1_763_640_000,
      cases: [{ ...genuine, expect: { ok: true } }],
    }
    const { forged } = await forgeries(file, acme, randomFrom(1), 1000) // about one in 50 is a forgery
    expect(forged.length).toBeGreaterThan(0)
  })
})
