import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Authenticator, hmac, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import { hmacListener, SECRET, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'
import { spyStore } from '../support/spy-store.ts'

const MISMATCH = '401 signature_mismatch'
const EVENT_ID = '7f1d3c5e-0a4b-4c8d-9e2f-112233445566'
const NOW = fakeClock().seconds()

/** The MAC of the delivery that `fate` sends, computed by node:crypto and not by the package. */
function macOf(input = `${NOW}.${EVENT_ID}.{"a":1}`, key: string | Uint8Array = SECRET): Buffer {
  return createHmac('sha256', key).update(input).digest()
}

/** The outcome of the valid delivery with this signature. */
async function fate(signature: string | readonly string[] | undefined, auth?: Authenticator) {
  const { listener, deliver } = hmacListener(auth === undefined ? {} : { auth })
  const delivery = await deliver({ eventId: EVENT_ID })
  return outcome(withHeaders(delivery, { 'webhook-signature': signature }), listener)
}

const right = macOf().toString('base64url')

describe('the signature', () => {
  it('the signature is HMAC-SHA256 of timestamp.id.body, in this order, as base64url', async () => {
    expect(await fate(right)).toBe('accepted')
    for (const input of [
      `${EVENT_ID}.${NOW}.{"a":1}`,
      `${NOW}.{"a":1}`,
      `${NOW}${EVENT_ID}{"a":1}`,
      '{"a":1}',
      `${NOW}.${EVENT_ID}.{"a":1}\n`,
    ]) {
      expect(await fate(macOf(input).toString('base64url'))).toBe(MISMATCH)
    }
  })

  it.each([1, 8, 16, 31])('a signature of which only %i bytes are sent is refused', async (length) => {
    expect(await fate(macOf().subarray(0, length).toString('base64url'))).toBe(MISMATCH)
  })

  it.each(['', undefined, []])('a signature of %j is missing: 401, not 400', async (nothing) => {
    expect(await fate(nothing)).toBe('401 auth_missing')
  })

  it.each(['v1,', ',', ' ', 'sha256=', '=', '.'])('a signature of %j is refused', async (text) => {
    expect(await fate(text)).toBe(MISMATCH)
  })

  it.each([
    Buffer.alloc(33).toString('base64url'),
    `${right}A`,
    `A${right}`,
    right.slice(1),
    right.slice(0, -1),
    right.repeat(2),
  ])('a signature of another length, %s, is refused without an exception', async (text) => {
    expect(await fate(text)).toBe(MISMATCH)
  })

  it('a signature truncated to 128 bits is refused, for 87 bodies', async () => {
    const { listener, deliver } = hmacListener()
    for (let index = 0; index < 87; index += 1) {
      const delivery = await deliver({ body: `${index}` })
      const full = Buffer.from(String(delivery.header('webhook-signature')), 'base64url')
      for (const tag of [full.subarray(0, 16), Buffer.concat([full.subarray(0, 16), Buffer.alloc(16)])]) {
        const short = withHeaders(delivery, { 'webhook-signature': tag.toString('base64url') })
        expect(await outcome(short, listener)).toBe(MISMATCH)
      }
    }
  })

  it('a signature in another spelling of the same bytes is refused', async () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(right.slice(-1))
    const spellings = [1, 2, 3].map((bits) => right.slice(0, -1) + alphabet[last | bits])
    for (const spelling of spellings) {
      expect(Buffer.from(spelling, 'base64url')).toStrictEqual(macOf())
      expect(await fate(spelling)).toBe(MISMATCH)
    }
  })

  it.each([
    ['padding', `${right}=`],
    ['more padding', `${right}==`],
    ['padding instead', `${right.slice(0, -1)}=`],
    ['a space within', `${right.slice(0, 20)} ${right.slice(20)}`],
    ['a leading tab', `\t${right}`],
    ['a trailing line break', `${right}\n`],
    ['a line break instead', `${right.slice(0, -1)}\n`],
    ['an exclamation mark', `${right.slice(0, -1)}!`],
    ['trailing junk', `${right}junk`],
  ])('a signature with %s is refused', async (_, text) => {
    expect(await fate(text)).toBe(MISMATCH)
  })

  it('a signature in the standard alphabet is refused', async () => {
    const { listener, deliver } = hmacListener()
    let different = 0
    for (let index = 0; index < 50; index += 1) {
      const delivery = await deliver({ body: `${index}` })
      const url = String(delivery.header('webhook-signature'))
      const standard = url.replaceAll('-', '+').replaceAll('_', '/')
      if (standard === url) continue
      different += 1
      expect(await outcome(withHeaders(delivery, { 'webhook-signature': standard }), listener)).toBe(MISMATCH)
    }
    expect(different).toBeGreaterThan(10)
  })

  it.each([
    macOf().toString('hex'),
    macOf().toString('base64'),
    `sha256=${macOf().toString('hex')}`,
    `v1,${right}`,
    `v1=${right}`,
    `t=${NOW},v1=${right}`,
    `"${right}"`,
  ])('a signature in the form of another scheme, %s, is refused', async (text) => {
    expect(await fate(text)).toBe(MISMATCH)
  })

  it.each(['zz', 'z'.repeat(43), `${macOf().toString('hex').slice(0, 42)}z`, '%'.repeat(43)])(
    'a signature of %s is refused: nothing is decoded, so nothing is left out',
    async (text) => {
      expect(await fate(text)).toBe(MISMATCH)
    },
  )

  it('a signature sent twice is refused, although one is right', async () => {
    expect(await fate([right, 'A'.repeat(43)])).toBe(MISMATCH)
    expect(await fate([right, right])).toBe(MISMATCH)
    expect(await fate(`${right}, ${right}`)).toBe(MISMATCH)
    expect(await fate([right])).toBe('accepted')
  })

  it.each([
    ['more than one Webhook-Signature', [right, right]],
    ['Webhook-Signature is not 43 characters of base64url', `${right}A`],
    ['the signature does not match your secret', `${right.slice(1)}A`],
  ])('the detail of a refused signature says: %s', async (words, signature) => {
    const { listener, deliver } = hmacListener()
    const delivery = withHeaders(await deliver(), { 'webhook-signature': signature })
    expect(await verify(delivery, listener)).toMatchObject({
      reason: 'signature_mismatch',
      detail: expect.stringContaining(words),
    })
  })

  itOutsideWorkerd('its clock stands still while code runs')(
    'a signature repeated 100,000 times in one header costs what a short one costs',
    async () => {
      const { listener, deliver } = hmacListener()
      const valid = await deliver()
      const fastest = async (signature: string) => {
        const delivery = withHeaders(valid, { 'webhook-signature': signature })
        const times: number[] = []
        for (let round = 0; round < 20; round += 1) {
          const start = performance.now()
          for (let index = 0; index < 10; index += 1) {
            expect(await outcome(delivery, listener)).toBe(MISMATCH)
          }
          times.push(performance.now() - start)
        }
        return Math.min(...times)
      }
      const short = await fastest('A'.repeat(44))
      // Reading all 4.4 MB would take several hundred times as long.
      expect(await fastest(`${right},`.repeat(100_000))).toBeLessThan(50 * short)
    },
  )

  it.each(['é'.repeat(43), 'ð\u0000', '\u0000'.repeat(43), '😀'.repeat(21), `${right.slice(0, 42)}\u0141`])(
    'a signature of %j, which is not ASCII, is refused without an exception',
    async (text) => {
      expect(await fate(text)).toBe(MISMATCH)
    },
  )
})

describe('the fields around it', () => {
  it('dots cannot shift the fields: timestamp and ID are refused first', async () => {
    const { listener, deliver } = hmacListener()
    const body = `${EVENT_ID}.{"a":1}`
    const shifted = { 'webhook-timestamp': `${NOW}.${EVENT_ID}`, 'webhook-event-id': EVENT_ID }
    expect(await outcome(withHeaders(await deliver({ body }), shifted), listener)).toBe('400 body_not_json')
    expect(await outcome(withHeaders(await deliver(), shifted), listener)).toBe('400 timestamp_malformed')
    const longId = { 'webhook-event-id': `${EVENT_ID}.1` }
    expect(await outcome(withHeaders(await deliver(), longId), listener)).toBe('400 event_id_not_uuid_v4')
  })

  it('a bearer token does not replace the signature', async () => {
    const { listener, deliver } = hmacListener()
    const headers = { 'webhook-signature': undefined, authorization: `Bearer ${right}` }
    expect(await outcome(withHeaders(await deliver(), headers), listener)).toBe('401 auth_missing')
  })

  it('the secret in the body, the query or another header does not replace it either', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body: JSON.stringify({ token: SECRET, secret: SECRET }) })
    const headers = { 'webhook-signature': undefined, 'x-webhook-token': SECRET, authorization: SECRET }
    expect(await outcome(withHeaders(delivery, headers), listener)).toBe('401 auth_missing')
    expect(await outcome(withHeaders(delivery, { 'webhook-signature': SECRET }), listener)).toBe(MISMATCH)
  })

  it('the same bytes again are a duplicate', async () => {
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    await (await acceptedEvent(delivery, listener)).commit()
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
  })

  it('the listener is not signed: a delivery passes at another that shares the secret', async () => {
    const first = hmacListener({ id: 'L1' })
    const second = hmacListener({ id: 'L2', clock: first.clock })
    const delivery = await first.deliver()
    expect(await outcome(delivery, second.listener)).toBe('accepted')
    const other = hmac({ secrets: { id: 'own', secret: 'another secret, of L3 alone' } })
    expect(await outcome(delivery, hmacListener({ id: 'L3', auth: other }).listener)).toBe(MISMATCH)
  })

  it('each of thousands of wrong signatures is refused, and the store hears of none', async () => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const { listener, deliver } = hmacListener({ store })
    const delivery = await deliver()
    for (let index = 0; index < 5000; index += 1) {
      const guess = macOf(`guess ${index}`).toString('base64url')
      const verdict = await verify(withHeaders(delivery, { 'webhook-signature': guess }), listener)
      if (verdict.ok || verdict.status !== 401) expect.unreachable(`guess ${index}`)
    }
    expect(calls).toStrictEqual([])
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('an authenticator that cannot decide makes verify() reject, and nothing is claimed', async () => {
    const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
    const failures: readonly (() => Promise<never>)[] = [
      () => Promise.reject(new Error('the secret could not be looked up')),
      () => {
        throw new Error('the secret could not be looked up')
      },
    ]
    for (const authenticate of failures) {
      const { listener, deliver } = hmacListener({ store, auth: { method: 'hmac', authenticate } })
      await expect(verify(await deliver(), listener)).rejects.toThrow('looked up')
    }
    expect(calls).toStrictEqual([])
  })

  it('every refused signature gets the same status, whatever was wrong with it', async () => {
    const statuses = [undefined, '', 'x', right.slice(1), 'A'.repeat(43), [right, right]].map(async (text) =>
      (await fate(text)).slice(0, 3),
    )
    expect(new Set(await Promise.all(statuses))).toStrictEqual(new Set(['401']))
  })
})
