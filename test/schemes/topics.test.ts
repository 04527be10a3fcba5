import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { commerceLayer } from '../../src/schemes/commerce-layer.ts'
import type { SecretOptions, TopicOptions } from '../../src/schemes/kit/index.ts'
import { shopify } from '../../src/schemes/shopify.ts'
import { woocommerce } from '../../src/schemes/woocommerce.ts'
import { DUPLICATE, IN_PROGRESS, type Received, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a secret of this test'
const BODY = '{"id":820982911946154508,"currency":"EUR"}'
const INVENTED = Array.from({ length: 1000 }, (_, index) => `invented/topic-${index}`)

type Options = Omit<SecretOptions & TopicOptions, 'secrets'>

const SENDERS = [
  {
    factory: shopify,
    signature: 'x-shopify-hmac-sha256',
    header: 'x-shopify-topic',
    topics: ['orders/create', 'orders/paid'],
  },
  {
    factory: woocommerce,
    signature: 'x-wc-webhook-signature',
    header: 'x-wc-webhook-topic',
    topics: ['order.created', 'order.updated'],
  },
  {
    factory: commerceLayer,
    signature: 'x-commercelayer-signature',
    header: 'x-commercelayer-topic',
    topics: ['orders.place', 'orders.approve'],
  },
] as const

describe.each(SENDERS)('$factory.scheme.sender', ({ factory, signature, header, topics: [one, other] }) => {
  function receiver(options: Options = {}) {
    const { receive } = schemeReceiver(factory({ secrets: SECRET, ...options }))
    const send = (topic: string | readonly string[] | undefined, more: Received['headers'] = {}) => {
      const made = createHmac('sha256', SECRET).update(BODY).digest('base64')
      const headers = { 'content-type': 'application/json', [signature]: made, [header]: topic, ...more }
      return receive({ headers, body: BODY })
    }
    /** Delivers and handles the event. Returns whether a handler ran. */
    const runs = async (...given: Parameters<typeof send>) => {
      const verdict = await send(...given)
      if (verdict.ok) await verdict.event.commit()
      return verdict.ok
    }
    return { send, runs }
  }

  it('both events run that one change sends under two topics with the same body, even at once', async () => {
    const { send } = receiver()
    const both = await Promise.all([send(one), send(other)])
    expect(both).toMatchObject([{ ok: true }, { ok: true }])
    expect(await send(one)).toMatchObject(IN_PROGRESS)
    for (const verdict of both) if (verdict.ok) await verdict.event.commit()
    expect(await send(one)).toMatchObject(DUPLICATE)
    expect(await send(other)).toMatchObject(DUPLICATE)
  })

  it('a captured delivery runs at most once more, whatever topics are invented', async () => {
    const { runs, send } = receiver()
    expect(await runs(one)).toBe(true)
    let ran = 0
    for (const topic of INVENTED) if (await runs(topic)) ran += 1
    expect(ran).toBe(1)
    for (const forged of [one.toUpperCase(), `${one} `, [one, other], `${one}, ${other}`, '', undefined]) {
      expect(await send(forged)).toMatchObject(DUPLICATE)
    }
  })

  it('further topics may be named, which are claimed apart as well', async () => {
    const { runs } = receiver({ topics: ['action.wc_mine', 'mine/paid'] })
    for (const topic of [one, other, 'action.wc_mine', 'mine/paid']) expect(await runs(topic)).toBe(true)
    for (const topic of [one, other, 'action.wc_mine', 'mine/paid']) expect(await runs(topic)).toBe(false)
  })

  it('the body alone is claimed, whatever the topic, if told to', async () => {
    const { runs } = receiver({ dedupe: 'signed-bytes' })
    expect([await runs(one), await runs(other), await runs('invented')]).toEqual([true, false, false])
  })

  it('two topics stay apart when the ID is claimed', async () => {
    const { runs } = receiver({ dedupe: 'id' })
    const id = { 'x-shopify-event-id': 'an-event' }
    expect([await runs(one, id), await runs(other, id), await runs(one, id)]).toEqual([true, true, false])
  })

  it.each([
    ['text', one],
    ['an empty topic', ['']],
    ['a blank', ['orders /create']],
    ['a number', [1]],
    ['a topic of 257 characters', ['x'.repeat(257)]],
  ])('%s are refused as topics', (_, topics) => {
    expect(() => factory({ secrets: SECRET, topics: topics as never })).toThrow(/^topics/)
  })

  it('a topic may have 256 characters', async () => {
    const topic = 'x'.repeat(256)
    const { runs } = receiver({ topics: [topic] })
    expect([await runs('invented'), await runs(topic), await runs(topic)]).toEqual([true, true, false])
  })
})
