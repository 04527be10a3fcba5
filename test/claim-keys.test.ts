import { describe, expect, it } from 'vitest'
import { defineListener, type EventKey, type EventStore, verify } from '../src/index.ts'
import { dropbox } from '../src/schemes/dropbox.ts'
import { linear } from '../src/schemes/linear.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { signAs, toDelivery } from '../src/testing/index.ts'
import { fakeClock } from './support/clock.ts'
import { acceptedEvent, inWords } from './support/outcome.ts'
import { spyStore } from './support/spy-store.ts'

const SECRET = 'lin_wh_secret'

/** Linear signs its time but not its ID. A retry has other bytes, and a replay may have another ID. */
function linearListener(wrap: (store: EventStore) => EventStore = (store) => store) {
  const clock = fakeClock()
  const { store, calls } = spyStore(memoryStore({ clock, maxRecords: 10 }))
  const listener = defineListener({
    id: 'linear',
    auth: linear({ secrets: SECRET }),
    store: wrap(store),
    clock,
  })
  const deliver = async (eventId: string, body = 'first attempt') =>
    toDelivery(
      await signAs(linear, { secret: SECRET, eventId, body: { body, webhookTimestamp: clock.now() } }),
    )
  return { listener, deliver, calls }
}

const verbs = (calls: readonly string[]) => calls.map((call) => call.split(' ')[0])

describe('an event with two keys', () => {
  it('an event is a duplicate when its ID is known, though its bytes are new', async () => {
    const { listener, deliver } = linearListener()
    await (await acceptedEvent(await deliver('id-1'), listener)).commit()
    expect(inWords(await verify(await deliver('id-1', 'second attempt'), listener))).toBe(
      '200 event_duplicate',
    )
  })

  it('an event is a duplicate when its bytes are known, though its ID is new', async () => {
    const { listener, deliver } = linearListener()
    await (await acceptedEvent(await deliver('id-1'), listener)).commit()
    expect(inWords(await verify(await deliver('id-2'), listener))).toBe('200 event_duplicate')
  })

  it('an event releases its bytes if the ID is taken, so that they are not a duplicate later', async () => {
    const { listener, deliver, calls } = linearListener()
    const first = await acceptedEvent(await deliver('id-1'), listener)
    expect(inWords(await verify(await deliver('id-1', 'second attempt'), listener))).toBe(
      '503 event_in_progress',
    )
    expect(verbs(calls)).toEqual(['claim', 'claim', 'claim', 'claim', 'release'])
    await first.release()
    expect(await acceptedEvent(await deliver('id-1', 'second attempt'), listener)).toMatchObject({
      id: 'id-1',
    })
  })

  it('an event commits both keys, and releases both', async () => {
    const { listener, deliver, calls } = linearListener()
    expect(await (await acceptedEvent(await deliver('id-1'), listener)).commit()).toBe('committed')
    expect(await (await acceptedEvent(await deliver('id-2', 'other'), listener)).release()).toBe(true)
    expect(verbs(calls)).toEqual([
      'claim',
      'claim',
      'commit',
      'commit',
      'claim',
      'claim',
      'release',
      'release',
    ])
  })

  it('an event has the same key objects at its claim and at its end, by which a store may remember it', async () => {
    const ofVerb: Record<string, EventKey[]> = { claim: [], commit: [] }
    const { listener, deliver } = linearListener((store) => ({
      ...store,
      claim(key, ...given) {
        ofVerb.claim?.push(key)
        return store.claim(key, ...given)
      },
      commit(key, ...given) {
        ofVerb.commit?.push(key)
        return store.commit(key, ...given)
      },
    }))
    await (await acceptedEvent(await deliver('id-1'), listener)).commit()
    const [bytes, id] = ofVerb.claim ?? []
    expect(ofVerb.commit?.[0]).toBe(bytes)
    expect(ofVerb.commit?.[1]).toBe(id)
    expect(id).toBeDefined()
  })

  it('an event releases its bytes if the store fails at the ID', async () => {
    let claims = 0
    const { listener, deliver, calls } = linearListener((store) => ({
      ...store,
      claim: (...given) => {
        claims += 1
        if (claims === 2) throw new Error('the store is down')
        return store.claim(...given)
      },
      commit: (...given) => store.commit(...given),
      release: (...given) => store.release(...given),
    }))
    await expect(verify(await deliver('id-1'), listener)).rejects.toThrow('failed to claim')
    expect(verbs(calls)).toEqual(['claim', 'release'])
    expect(await acceptedEvent(await deliver('id-1'), listener)).toMatchObject({ id: 'id-1' })
  })

  it('an event runs once when both copies come at once', async () => {
    const { listener, deliver } = linearListener()
    const delivery = await deliver('id-1')
    const words = await Promise.all([1, 2, 3].map(async () => inWords(await verify(delivery, listener))))
    expect(words.toSorted()).toEqual(['503 event_in_progress', '503 event_in_progress', 'accepted'])
  })
})

describe('dedupe', () => {
  it("'off' runs every delivery and asks the store for nothing", async () => {
    const { store, calls } = spyStore(memoryStore())
    const listener = defineListener({ id: 'dropbox', auth: dropbox({ secrets: SECRET }), store })
    const delivery = toDelivery(await signAs(dropbox, { secret: SECRET, body: '{"list_folder":{}}' }))
    for (let round = 0; round < 2; round += 1) {
      const event = await acceptedEvent(delivery, listener)
      expect(await event.commit()).toBe('committed')
      expect(await event.release()).toBe(true)
    }
    expect(calls).toEqual([])
  })

  it("'id' by choice trusts the sender's ID, signed or not", async () => {
    const clock = fakeClock()
    const listener = defineListener({
      id: 'linear',
      auth: linear({ secrets: SECRET, dedupe: 'id' }),
      store: memoryStore({ clock }),
      clock,
    })
    const body = { webhookTimestamp: clock.now() }
    const deliver = async (eventId: string) =>
      toDelivery(await signAs(linear, { secret: SECRET, eventId, body }))
    await (await acceptedEvent(await deliver('id-1'), listener)).commit()
    expect(inWords(await verify(await deliver('id-1'), listener))).toBe('200 event_duplicate')
    expect(inWords(await verify(await deliver('id-2'), listener))).toBe('accepted')
  })
})
