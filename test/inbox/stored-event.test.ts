import { describe, expect, it } from 'vitest'
import { bodyFormOf, readAgain, storedText } from '../../src/inbox/stored-event.ts'
import {
  type Delivery,
  defineListener,
  type EventStore,
  type Listener,
  verify,
  type WebhookEvent,
} from '../../src/index.ts'
import { slack } from '../../src/schemes/slack.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { remoteOptions } from '../support/vector-fetch.ts'
import { deliveryOf, files } from '../support/vectors.ts'

const accepted = files
  .filter(({ scheme }) => SCHEME_NAMES.includes(scheme))
  .flatMap((file) =>
    file.cases.filter(({ expect }) => expect.ok).map((given) => ({ ...file, given, name: given.name })),
  )

/** The event of a delivery, as it is stored. The store is told of the delivery that the event came in. */
async function stored(delivery: Delivery, define: (store: EventStore) => Listener<unknown>) {
  let kept = ''
  const store: EventStore = {
    ...memoryStore({ maxRecords: 10 }),
    accepted(event, _owner, from) {
      kept = storedText(event as WebhookEvent<unknown>, bodyFormOf(from))
    },
  }
  const listener = define(store)
  const verdict = await verify(delivery, listener)
  if (!verdict.ok) throw new Error(`refused: ${verdict.reason}`)
  return { listener, event: verdict.event, kept }
}

const { signal } = new AbortController()

describe('a stored event', () => {
  it.each(accepted)('a stored event of $scheme is read again as it came: $name', async (file) => {
    const { scheme, options, now, fetches, given } = file
    const factory = await schemeFactory(scheme)
    const auth = factory({ ...options, ...given.options, ...(fetches && remoteOptions(scheme, fetches)) })
    const { listener, event, kept } = await stored(deliveryOf(given), (store) =>
      defineListener({ id: 'é', auth, store, clock: { now: () => now * 1000 } }),
    )
    expect(kept).toMatch(/^[ -~]*$/)
    const again = await readAgain(kept, listener, signal)
    const { commit, release, type, rawBody, ...rest } = event
    expect(again).toEqual({ ...rest, rawBody: new Uint8Array(rawBody), signal, ...(type && { type }) })
  })

  it("a stored event of hookgate's scheme has what the event has, but for its settling", async () => {
    const { deliver } = hmacListener()
    const { listener, event, kept } = await stored(
      await deliver(),
      (store) => hmacListener({ store }).listener,
    )
    const { commit, release, rawBody, ...rest } = event
    expect(await readAgain(kept, listener, signal)).toEqual({
      ...rest,
      rawBody: new Uint8Array(rawBody),
      signal,
    })
  })

  it('a stored form is read again as a form, and JSON as JSON', async () => {
    const secret = 'a-secret-of-a-sender-32-characters'
    for (const contentType of ['application/x-www-form-urlencoded', 'application/json']) {
      const isForm = contentType.includes('form')
      const body = isForm ? 'command=%2Fdeploy&text=now' : { type: 'event_callback', event_id: 'Ev1' }
      const request = await signAs(slack, { secret, body, ...(isForm && { contentType }) })
      const { listener, event, kept } = await stored(toDelivery(request), (store) =>
        defineListener({ id: 'slack', auth: slack({ secrets: secret }), store }),
      )
      expect((await readAgain(kept, listener, signal)).payload).toEqual(event.payload)
    }
  })

  it('a stored event gets the payload that the schema makes of it, and is refused if it no longer fits', async () => {
    const { deliver } = hmacListener()
    const schemaOf = (validate: (value: unknown) => never) => ({
      '~standard': { version: 1 as const, vendor: 'a test', validate },
    })
    const doubled = schemaOf((value) => ({ value: { doubled: value } }) as never)
    const { listener, kept } = await stored(
      await deliver(),
      (store) => hmacListener({ store, payload: doubled }).listener,
    )
    expect(await readAgain(kept, listener, signal)).toMatchObject({ payload: { doubled: { a: 1 } } })
    const strict = schemaOf(() => ({ issues: [{ message: 'no', path: ['b'] }] }) as never)
    await expect(readAgain(kept, hmacListener({ payload: strict }).listener, signal)).rejects.toMatchObject({
      code: 'ERR_INBOX',
      message: expect.stringContaining('payload.b'),
    })
    const broken = schemaOf(() => {
      throw new Error('of the schema')
    })
    await expect(readAgain(kept, hmacListener({ payload: broken }).listener, signal)).rejects.toMatchObject({
      code: 'ERR_LISTENER_CONFIG', // and not ERR_INBOX, which is for good
      cause: { message: 'of the schema' },
    })
  })

  it.each(['', 'x', '{}', 'null', '{"v":1}', undefined, 7])(
    'what is no stored event is refused: %j',
    async (text) => {
      const { listener } = hmacListener()
      await expect(readAgain(text, listener, signal)).rejects.toMatchObject({
        code: 'ERR_INBOX',
      })
    },
  )
})
