import { expect, it } from 'vitest'
import * as z from 'zod'
import { type Delivery, type Listener, verify } from '../../src/index.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import fc from '../support/property.ts'

const NAMES = [
  'content-type',
  'content-encoding',
  'webhook-timestamp',
  'webhook-event-id',
  'webhook-signature',
  'authorization',
] as const

const oddText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary-ascii' }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(100_000),
    'Bearer ',
    'Bearer a.b.c',
    '..',
  ),
  fc.uuid(),
  fc.integer().map(String),
)

const headerValue: fc.Arbitrary<string | readonly string[] | undefined> = fc.oneof(
  oddText,
  fc.array(oddText, { maxLength: 3 }),
  fc.constant(undefined),
)

/** Values to replace parts of a valid delivery. A part without a value stays valid. */
const changes = fc.record(
  {
    method: fc.oneof(fc.constantFrom('POST', 'post', 'GET', ''), oddText),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => new TextEncoder().encode(text)),
      fc.constant(new Uint8Array(70_000)),
    ),
    sourceIp: fc.oneof(fc.ipV4(), fc.ipV6(), oddText, fc.constant(undefined)),
    headers: fc.dictionary(fc.constantFrom(...NAMES), headerValue),
  },
  { requiredKeys: [] },
)

const listeners: readonly [string, () => Promise<{ listener: Listener; deliver(): Promise<Delivery> }>][] = [
  ['HMAC', async () => hmacListener()],
  [
    'HMAC with networks and a schema',
    async () => {
      const payload = z.object({ a: z.number() }).or(z.array(z.number()))
      return hmacListener({ allowedCidrs: ['10.0.0.0/8', '2001:db8::/32'], payload })
    },
  ],
  ['JWT', es256Listener],
]

it.each(listeners)(
  'any delivery gets a verdict from a listener of kind %s, never an exception',
  async (_, make) => {
    const { listener, deliver } = await make()
    const valid = await deliver()
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(changes, async ({ headers = {}, ...parts }) => {
        const header = (name: string) => (Object.hasOwn(headers, name) ? headers[name] : valid.header(name))
        const verdict = await verify({ ...valid, ...parts, header }, listener)
        seen.add(verdict.ok ? 'accepted' : (verdict.reason ?? 'handshake'))
        if (verdict.ok) expect(verdict.event.rawBody).toBe(parts.body ?? valid.body)
        else {
          expect([400, 401, 403, 409, 503]).toContain(verdict.status)
          expect(verdict.detail).toMatch(/^[ -~]{5,300}$/)
        }
      }),
      { numRuns: 1500 },
    )
    // proves that the deliveries are odd in several ways
    expect(seen.size).toBeGreaterThan(6)
  },
)
