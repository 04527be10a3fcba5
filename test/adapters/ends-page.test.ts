import { readFileSync } from 'node:fs'
import express, { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { settle } from '../../adapters/kit/settle.ts'
import type { WebhookEvent } from '../../src/index.ts'
import { inTransaction } from '../../src/joining.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { Log } from '../support/log.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

type Tx = (() => unknown)[]
type Handle = (event: WebhookEvent, response: Response, gone: Log<string>) => unknown

const answers = (status: number): Handle => {
  return (_, response) => response.sendStatus(status)
}

/** Commits with `event.commit(tx)`, and its transaction too unless it is rolled back. Then goes on. */
const joined = (handle: Handle, isRolledBack = false): Handle => {
  return async (event, response, gone) => {
    const tx: Tx = []
    await event.commit(tx)
    if (!isRolledBack) for (const end of tx) await end()
    return handle(event, response, gone)
  }
}

const afterLeaving = (status: number): Handle => {
  return async (_, response, gone) => {
    gone.add('ready')
    await gone.has('closed')
    setImmediate(() => response.sendStatus(status)) // later than the turn of `close`
  }
}

const breaksOff: Handle = (_, response) => {
  response.write('half of it', () => response.destroy(new Error('the source of the stream')))
}

const throws: Handle = () => {
  throw new Error('of the handler')
}

/** The ends of a handler as docs/events.md names them: some of each kind. */
const ENDS: { readonly [end: string]: readonly Handle[] } = {
  '2xx': [answers(200), answers(204), afterLeaving(200)],
  '2xx after event.commit(tx)': [joined(answers(200)), joined(answers(200), true)],
  'anything else, after that transaction was committed': [joined(answers(500)), joined(throws)],
  '3xx': [answers(302), answers(304)],
  '408, 503 or 504': [answers(408), answers(503), answers(504)],
  'any other status, or a throw': [answers(400), answers(500), answers(502), throws],
  'anything but 2xx, after the sender has disconnected': [afterLeaving(500), afterLeaving(302)],
  'a streamed answer that breaks off': [breaksOff],
  'no answer': [() => {}],
}

/** The rows of the table: how a handler ends, and what it says of the event. */
function rows(): readonly (readonly [end: string, event: string])[] {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('|---|---|---|\n')
  return [...(table.split('\n\n')[0] ?? '').matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, end = '', event = '']) => [end.replaceAll(/\[`([^`]+)`\]\([^)]+\)/g, '$1'), event],
  )
}

/** The rows of statuses. The first that fits. */
const ROWS = [
  [/^2/, '2xx'],
  [/^3/, '3xx'],
  [/408|503|504/, '408, 503 or 504'],
  [/^/, 'any other status, or a throw'],
] as const

/** What the store answers to another claim, by what the page says. */
const ANSWERS = { 'is done': 'done', 'is released': 'acquired', 'stays leased': 'busy' } as const

/** A store that joins transactions, which are lists of what to do at their end. */
function joining(clock: Endpoint['clock']) {
  const store = memoryStore({ clock })
  return {
    claim: store.claim.bind(store),
    commit: store.commit.bind(store),
    release: store.release.bind(store),
    ...(store.renew && { renew: store.renew.bind(store) }),
    commitIn: inTransaction(async (tx, ...given) => {
      if (Array.isArray(tx)) tx.push(() => store.commit(...given))
      return 'committed'
    }),
  }
}

/** What becomes of an event whose handler ends like this, and what `onError` is told. */
async function endOf(handle: Handle) {
  const endpoint = hmacEndpoint({}, joining)
  const { listener, request, failures } = endpoint
  const gone = new Log<string>()
  const ids: string[] = []
  const app = express().set('env', 'test') // logs no errors
  app.post('/hook', verifyWebhook(listener), async (req, res) => {
    const event = webhookOf(req)
    ids.push(event.id)
    if (ids.length > 1) return void res.sendStatus(200)
    res.once('close', () => gone.add('closed'))
    await handle(event, res, gone)
    gone.add('ended')
  })
  const { address } = await serve(app)
  const sending = new RawConnection(address)
  await sending.write(toBytes(await request()))
  await Promise.race([gone.has('ready'), gone.has('ended'), sending.reply()])
  sending.abort()
  await gone.has('closed')
  const claim = (eventId = '') => listener.store.claim({ listenerId: listener.id, eventId }, 'a stranger', 1)
  // Another event, whose end comes later.
  const later = new RawConnection(address)
  await later.write(toBytes(await request({ eventId: crypto.randomUUID() })))
  await later.reply()
  later.abort()
  await expect.poll(() => claim(ids[1])).toBe('done')
  return { answer: await claim(ids[0]), told: failures.entries }
}

describe('docs/events.md says what becomes of an event, in Express', () => {
  it('its table has these ends, and no others', () => {
    expect(rows().map(([end]) => end)).toEqual(Object.keys(ENDS))
  })

  it('it says of each status from 200 to 599 what the adapters do, and of each that nobody hears', async () => {
    const said = new Map(rows())
    const { listener } = hmacEndpoint()
    const endBy = async (status: number, isUnseen?: () => boolean) => {
      const ends: string[] = []
      const event = {
        commit: async () => ends.push('is done'),
        release: async () => ends.push('is released'),
      }
      await settle({ listener, event } as never, status, isUnseen)
      return ends.join() || 'stays leased'
    }
    for (let status = 200; status < 600; status += 1) {
      const row = ROWS.find(([of]) => of.test(`${status}`))?.[1] ?? ''
      const isUnseen = () =>
        row !== '2xx' || expect.unreachable('a success asks for no signal of its request')
      const unseen = row === '2xx' ? row : 'anything but 2xx, after the sender has disconnected'
      expect(said.get(row)?.startsWith(await endBy(status)), `${status}`).toBe(true)
      expect(said.get(unseen)?.startsWith(await endBy(status, isUnseen)), `${status}`).toBe(true)
    }
  })

  it.each(rows())('%s: %s', async (end, event) => {
    const [said, otherwise] = event.split('. Otherwise it ')
    for (const handle of ENDS[end] ?? []) {
      const { answer, told } = await endOf(handle)
      const isOther = otherwise !== undefined && handle === ENDS[end]?.at(-1)
      const text = isOther ? otherwise : said
      const state = Object.entries(ANSWERS).find(([words]) => text?.startsWith(words))
      expect(answer, `of ${handle}`).toBe(state?.[1])
      expect(told, text).toHaveLength(/`onError`/.test(text ?? '') && end !== 'no answer' ? 1 : 0)
    }
  })
})
