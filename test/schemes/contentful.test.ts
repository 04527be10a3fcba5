import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import { contentful } from '../../src/schemes/contentful.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { DUPLICATE, IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a'.repeat(64)
const URL = 'https://receiver.example/hooks'
const BODY = '{"sys":{"id":"one"}}'
const NAMES = 'x-contentful-signed-headers'
const TIME = 'x-contentful-timestamp'

function receiver(publicUrl = URL, url?: string) {
  const { clock, receive } = schemeReceiver(contentful({ secrets: SECRET, publicUrl }))
  const send = ({ list = [NAMES, TIME], path = '/hooks', at = 0, headers = {} }: Sending = {}) => {
    const all: Headers = { ...headers, [NAMES]: list.join(','), [TIME]: `${clock.now() + at * 1000}` }
    const line = [...list].sort().map((name) => `${name}:${all[name]}`)
    const signed = ['POST', path, line.join(';'), BODY].join('\n')
    const signature = createHmac('sha256', SECRET).update(signed).digest('hex')
    const sent = { ...all, 'x-contentful-crn': all['x-contentful-crn'], 'x-contentful-signature': signature }
    return receive({ url, headers: sent, body: BODY })
  }
  return { send }
}

type Headers = { [name: string]: string }
interface Sending {
  readonly list?: readonly string[]
  readonly path?: string
  /** In seconds from now. */
  readonly at?: number
  readonly headers?: Headers
}

describe('a delivery of Contentful', () => {
  it('a delivery is accepted once, and lists its ID and topic as unsigned', async () => {
    const { send } = receiver()
    const headers = { 'x-contentful-topic': 'Entry.publish' }
    const event = { type: 'Entry.publish', unsigned: ['id', 'type'], auth: { covers: 'body' } }
    expect(await send({ headers })).toMatchObject({ ok: true, event })
    expect(await send()).toMatchObject(IN_PROGRESS)
  })

  it('a delivery can be made with signAs', async () => {
    const auth = contentful({ secrets: SECRET, publicUrl: URL })
    const listener = defineListener({ id: 'contentful', auth, store: memoryStore() })
    const request = await signAs(contentful, { secret: SECRET, publicUrl: URL, body: BODY })
    expect(await verify(toDelivery({ ...request, body: '{}' }), listener)).toMatchObject(MISMATCH)
    expect(await verify(toDelivery(request), listener)).toMatchObject({ ok: true })
  })

  it('a delivery is a duplicate by its idempotency key, although its time has changed', async () => {
    const { send } = receiver()
    const headers = { 'x-contentful-idempotency-key': 'a'.repeat(64) }
    const first = await send({ headers })
    if (first.ok) await first.event.commit()
    expect(await send({ headers, at: 30 })).toMatchObject(DUPLICATE)
    expect(await send({ at: 30 })).toMatchObject({ ok: true })
  })

  it('the signed headers may stand in any order', async () => {
    const list = [TIME, NAMES, 'x-contentful-crn']
    expect(await receiver().send({ list, headers: { 'x-contentful-crn': 'a' } })).toMatchObject({ ok: true })
  })

  it.each([
    ['the time', [NAMES]],
    ['the list itself', [TIME]],
    ['both', []],
  ])('a delivery must sign %s', async (_, list) => {
    expect(await receiver().send({ list })).toMatchObject(MISMATCH)
  })

  it('a delivery cannot sign a missing header', async () => {
    const list = [NAMES, TIME, 'x-contentful-crn']
    expect(await receiver().send({ list, headers: { 'x-contentful-crn': '' } })).toMatchObject(MISMATCH)
    expect(await receiver().send({ list })).toMatchObject(MISMATCH)
  })

  it('a delivery signs at most 64 headers', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}`)
    const sending = (count: number): Sending => ({
      list: [NAMES, TIME, ...names(count)],
      headers: Object.fromEntries(names(count).map((name) => [name, 'a'])),
    })
    expect(await receiver().send(sending(62))).toMatchObject({ ok: true })
    expect(await receiver().send(sending(63))).toMatchObject(MISMATCH)
  })

  it('a delivery names each header once, so that the signed text stays short', async () => {
    expect(await receiver().send({ list: [NAMES, TIME, TIME] })).toMatchObject(MISMATCH)
  })

  it('a delivery may be 30 s off, on either side', async () => {
    for (const at of [-30, 30]) expect(await receiver().send({ at })).toMatchObject({ ok: true })
    for (const at of [-31, 31]) {
      expect(await receiver().send({ at })).toMatchObject({ reason: 'timestamp_out_of_range' })
    }
  })

  it.each([
    [`${URL}?tenant=7&a=b`, '/hooks?tenant%253D7%2526a%253Db'],
    ['https://receiver.example/a%20b', '/a%2520b'],
    ['https://receiver.example', '/'],
    [`${URL}?q=it's`, '/hooks?q%253Dit%252527s'],
    [`${URL}?a=b?c=d`, '/hooks?a%253Db'],
  ])('a delivery is signed for %s as Contentful’s toolkit writes it', async (publicUrl, path) => {
    expect(await receiver(publicUrl).send({ path })).toMatchObject({ ok: true })
  })

  it('the URL ends at the second question mark, so a query that goes on has to be configured', async () => {
    const [path, url] = ['/hooks?a%253Db', '/hooks?a=b?c=d']
    expect(await receiver(URL, '/hooks?a=b').send({ path })).toMatchObject({ ok: true })
    expect(await receiver(URL, url).send({ path })).toMatchObject({
      ...MISMATCH,
      detail: expect.stringContaining('put the query into publicUrl'),
    })
    expect(await receiver(`${URL}?a=b?c=d`, url).send({ path })).toMatchObject({ ok: true })
    expect(await receiver(`${URL}?a=b?c=d`, '/hooks?a=b').send({ path })).toMatchObject(MISMATCH)
  })
})
