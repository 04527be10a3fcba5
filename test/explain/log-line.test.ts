import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { explainLine } from '../../src/explain/index.ts'
import {
  type Delivery,
  defineListener,
  type Listener,
  type ListenerOptions,
  verify,
} from '../../src/index.ts'
import { rfc9421 } from '../../src/schemes/rfc9421.ts'
import { square } from '../../src/schemes/square.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import fc from '../support/property.ts'
import { schemeFactory } from '../support/schemes.ts'
import { remoteOptions } from '../support/vector-fetch.ts'
import { deliveryOf, files } from '../support/vectors.ts'

const SECRET = 'whsec_log-line-0123456789abcdef'

/** What the log says of a delivery, as the listener judges it. */
async function logLine(delivery: Delivery, listener: Listener): Promise<string> {
  const verdict = await verify(delivery, listener)
  return (await explainLine(delivery, verdict, listener, { quotes: false })) ?? ''
}

const listenerOf = (options: Partial<ListenerOptions> = {}) =>
  defineListener({ id: 'logged', auth: stripe({ secrets: SECRET }), store: memoryStore(), ...options })

const signed = (body: string, secret = SECRET) => signAs(stripe, { secret, body })

describe('the line for a log', () => {
  it.each([
    ['content-type', 'text/mark', 'Content-Type is …, not application/json, in UTF-8'],
    ['content-type', 'a/b; c="; mark"', 'Content-Type is …, not application/json, in UTF-8'],
    ['content-encoding', 'mark", not identity: mark', 'Content-Encoding is …, not identity'],
  ])('it says which header is wrong, and not what it holds: %s: %s', async (name, value, says) => {
    const { header, ...delivery } = toDelivery(await signed('{"id":"evt_1"}'))
    const changed = { ...delivery, header: (asked: string) => (asked === name ? value : header(asked)) }
    const line = await logLine(changed, listenerOf())
    expect(line).toContain(says)
    expect(line).not.toContain('mark')
    const verdict = await verify(changed, listenerOf())
    expect(await explainLine(changed, verdict, listenerOf())).toContain('mark')
  })

  it('it says that a payload does not fit, and not how its sender calls the members', async () => {
    const payload: ListenerOptions['payload'] = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: () => ({ issues: [{ message: 'no', path: ['mark: correct the mark'] }] }),
      },
    }
    const line = await logLine(toDelivery(await signed('{"id":"evt_1"}')), listenerOf({ payload }))
    expect(line).toMatch(
      /^The payload does not fit at …: correct the schema in `payload`, or the sender\. More: /,
    )
  })

  it.each(['"x-strangeword"', '"@query-param";name="strangeword"'])(
    'it says that a part that a signature covers is missing, and not which: %s',
    async (component) => {
      const auth = rfc9421({
        secrets: { id: 'k', secret: '7d1c9e02a4b86f35e8d07c1b9a5f4e63' },
        publicUrl: 'https://shop.example/hooks',
      })
      const given: Readonly<Record<string, string>> = {
        'content-type': 'application/json',
        'content-digest': `sha-256=:${createHash('sha256').update('{}').digest('base64')}:`,
        'signature-input': `sig1=("@method" "content-digest" ${component});created=1700000000;keyid="k"`,
        signature: `sig1=:${'A'.repeat(43)}=:`,
      }
      const delivery: Delivery = {
        ...{ method: 'POST', url: '/hooks', body: Buffer.from('{}'), sourceIp: '192.0.2.1' },
        header: (name) => given[name],
      }
      const clock = { now: () => 1_700_000_000_000 }
      const line = await logLine(delivery, listenerOf({ auth, clock }))
      expect(line).toContain('A signature covers …, which is missing')
      expect(line).not.toContain('strangeword')
    },
  )

  it('it names publicUrl, and not what it is, as a path or a query may be secret', async () => {
    const publicUrl = 'https://shop.example/hooks/pathsecret?k=querysecret'
    const request = await signAs(square, { secret: SECRET, publicUrl, body: '{"event_id":"1"}' })
    const listener = listenerOf({ auth: square({ secrets: 'another-secret-of-square', publicUrl }) })
    const line = await logLine(toDelivery(request), listener)
    expect(line).toContain('Check that publicUrl is the URL that Square calls')
    expect(line).not.toMatch(/pathsecret|querysecret/)
  })

  it.each([
    ['http://shop.example/hooks/pathsecret?k=querysecret', 'its protocol differs'],
    ['https://shop.example/hooks/pathsecret/?k=querysecret', 'its path differs'],
    ['http://shop.example/hooks/pathsecret/?k=querysecret', 'its protocol and path differ'],
  ])(
    'it says in what the signed URL differs from publicUrl, and not what it is: %s',
    async (publicUrl, says) => {
      const signedUrl = 'https://shop.example/hooks/pathsecret?k=querysecret'
      const request = await signAs(square, { secret: SECRET, publicUrl: signedUrl, body: '{"event_id":"1"}' })
      const listener = listenerOf({ auth: square({ secrets: SECRET, publicUrl }) })
      const line = await logLine(toDelivery(request), listener)
      expect(line).toContain(
        `Square signed another URL than publicUrl: set publicUrl to the URL that Square calls; ${says}`,
      )
      expect(line).not.toMatch(/pathsecret|querysecret/)
    },
  )

  it('it says no word of a request, whatever header, body or URL a stranger sends', async () => {
    const genuine = files.flatMap((file) =>
      file.cases.filter(({ expect: { ok } }) => ok).map((given) => ({ file, given })),
    )
    const mark = fc
      .tuple(fc.constantFrom('', 'Bearer ', 'v1=', 't=1,v0=', 'text/', 'a/b;c="', '"', '{"a":"'), fc.string())
      .map(([start, end]) => `${start}strangeword${end}strangeword`)
    const place = fc.constantFrom(
      'content-type',
      'content-encoding',
      'x-forwarded-host',
      'url',
      'body',
      'any',
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...genuine),
        mark,
        place,
        fc.nat(),
        async ({ file, given }, text, at, nth) => {
          const { scheme, options, now, fetches } = file
          const clock = { now: () => now * 1000 }
          const remote = fetches && remoteOptions(scheme, fetches)
          const auth = (await schemeFactory(scheme))({ ...options, ...given.options, ...remote })
          const sent = deliveryOf(given)
          const header = at === 'any' ? given.headers[nth % given.headers.length]?.[0].toLowerCase() : at
          const json = JSON.stringify({ [text]: text, id: text, type: text, livemode: text })
          const delivery: Delivery = {
            ...sent,
            ...(at === 'url' && { url: `/hooks?${text}&signature=${text}` }),
            body: at === 'body' ? new TextEncoder().encode(json) : sent.body,
            header: (name) => (name === header ? text : sent.header(name)),
          }
          expect(await logLine(delivery, listenerOf({ auth, clock }))).not.toMatch(/strangeword/i)
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('a wrong signature of an event that says whether it is live', () => {
  const TEST = "The body says that this is a test event: is this the live endpoint's secret?"
  const LIVE = "The body says that this is a live event: is this a test endpoint's secret?"
  const OTHER = 'whsec_of_another_mode_0123456789ab'

  it.each([
    ['{"id":"evt_1","livemode":false}', TEST],
    ['{"id":"evt_1","livemode":true}', LIVE],
  ])('%s is asked about', async (body, question) => {
    const line = await logLine(toDelivery(await signed(body, OTHER)), listenerOf())
    expect(line).toContain(
      `did not send this; nothing more specific was found. ${question} Check what you pass: `,
    )
  })

  it.each([
    '{"id":"evt_1"}',
    '{"id":"evt_1","livemode":"false"}',
    '{"id":"evt_1","livemode":0}',
    '{"id":"evt_1","data":{"livemode":false}}',
    '[{"livemode":false}]',
    `{"livemode":false,"a":${'['.repeat(65)}${']'.repeat(65)}}`,
  ])('%s is not asked about', async (body) => {
    const line = await logLine(toDelivery(await signed(body, OTHER)), listenerOf())
    expect(line).toContain('nothing more specific was found')
    expect(line).not.toMatch(/live event|test event/)
  })

  it('a mistake that is known is not asked about', async () => {
    const { headers, body } = await signed('{"id":"evt_1","livemode":false}')
    const delivery = { ...toDelivery({ method: 'POST', headers, body }), body: Buffer.from(`${body}\n`) }
    const line = await logLine(delivery, listenerOf())
    expect(line).toMatch(/^The body ends with a line break/)
    expect(line).not.toContain('test event')
  })
})
