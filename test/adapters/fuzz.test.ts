import { expect, it, onTestFinished } from 'vitest'
import fc from '../support/property.ts'
import { exchange, type Header, headOf, type RawRequest } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { TARGETS } from '../support/servers.ts'

const ALLOWED = [200, 400, 401, 409]
const NAMES = [
  'content-type',
  'content-encoding',
  'webhook-timestamp',
  'webhook-event-id',
  'webhook-signature',
  'authorization',
  '__proto__',
  'x-forwarded-for',
]

// Without 0x7f, which Node's own parser refuses: Fastify words that refusal differently.
const byte = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((code) => code !== 0x7f)
  .map((code) => String.fromCharCode(code))
const text = fc.oneof(
  fc.array(byte, { maxLength: 40 }).map((bytes) => bytes.join('')),
  fc.constantFrom(
    '',
    ',',
    ';',
    'a, b',
    '0',
    '-1',
    'null',
    'application/json;',
    'Bearer a.b.c',
    'é'.repeat(43),
  ),
)

const change = fc.record({
  name: fc.constantFrom(...NAMES),
  value: text,
  what: fc.constantFrom('remove', 'replace', 'repeat'),
})

/** Removes, replaces or repeats one header of a valid request. */
function apply(
  headers: readonly Header[],
  { name, value, what }: { name: string; value: string; what: string },
) {
  const kept = what === 'repeat' ? headers : headers.filter(([other]) => other !== name)
  return what === 'remove' ? kept : [...kept, [name, value] as const]
}

const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((json) => Buffer.from(json)),
)

function hasComma({ headers }: RawRequest): boolean {
  return headers.some(([, value]) => value.includes(', '))
}

it('no request crashes a framework, leaves an unhandled rejection, or gets an answer outside the table', async () => {
  const rejections: unknown[] = []
  const note = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
  })
  const { listener, request } = hmacEndpoint()
  const servers = await Promise.all(Object.values(TARGETS).map((start) => start({ target: listener })))

  /**
   * The different answers of the targets. 200 and 409 count as equal, because only the first target sees a new event.
   */
  const answers = async (sent: RawRequest) => {
    const bytes = Buffer.concat([headOf(sent, [['Content-Length', `${sent.body.byteLength}`]]), sent.body])
    const replies = await Promise.all(
      servers.map(async ({ address }) => {
        const reply = await exchange(address, bytes)
        // Another target has claimed the event and has not committed it yet.
        if (reply?.body.includes('event_in_progress')) return 'authentic'
        expect(ALLOWED).toContain(reply?.status)
        if (reply?.status === 200 || reply?.status === 409) return 'authentic'
        // Some targets read a comma as a repetition, so their code may differ.
        return hasComma(sent) ? reply?.status : `${reply?.status} ${reply?.body}`
      }),
    )
    return new Set(replies)
  }

  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 3 }), fc.option(body), async (changes, otherBody) => {
      const valid = await request()
      const headers = changes.reduce<readonly Header[]>(apply, valid.headers)
      expect(await answers({ ...valid, headers, body: otherBody ?? valid.body })).toHaveProperty('size', 1)
    }),
    { numRuns: 300 },
  )
  expect(rejections).toEqual([])
  expect(servers.flatMap(({ errors }) => errors)).toEqual([])
}, 120_000)
