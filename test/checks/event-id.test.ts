import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { spyStore } from '../support/spy-store.ts'

const ID = '7f1d3c5e-0a4b-4c8d-9e2f-11aa33bb55cc'
const REFUSED = '400 event_id_not_uuid_v4'

async function fate(eventId: string): Promise<string> {
  const { listener, deliver } = hmacListener()
  return outcome(withHeaders(await deliver(), { 'webhook-event-id': eventId }), listener)
}

/** A signed delivery, so that only the event ID can be wrong. */
async function signedFate(eventId: string): Promise<string> {
  const { listener, deliver } = hmacListener()
  return outcome(await deliver({ eventId }), listener)
}

describe('the version and the variant', () => {
  it.each([
    ['v1', 'c232ab00-9414-11ec-b3c8-9f6bdeced846'],
    ['v2', '000003e8-9414-21ec-b300-9f6bdeced846'],
    ['v3', '5df41881-3aed-3515-88a7-2f4a814cf09e'],
    ['v5', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    ['v6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846'],
    ['v7', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'],
    ['v8', '2489e9ad-2ee2-8e00-8ec9-32d5f69181c0'],
    ['nil', '00000000-0000-0000-0000-000000000000'],
    ['max', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ])('a listener refuses the %s UUID %s', async (_, id) => {
    expect(await signedFate(id)).toBe(REFUSED)
  })

  it.each([...'01234567cdefCDEF'])('a listener refuses the variant digit %s', async (digit) => {
    expect(await signedFate(`7f1d3c5e-0a4b-4c8d-${digit}e2f-11aa33bb55cc`)).toBe(REFUSED)
  })

  it.each([...'89abAB'])('a listener accepts the variant digit %s', async (digit) => {
    expect(await signedFate(`7f1d3c5e-0a4b-4c8d-${digit}e2f-11aa33bb55cc`)).toBe('accepted')
  })
})

describe('the letter case', () => {
  it('an ID in upper case is accepted once; another spelling is a duplicate, even if signed', async () => {
    const { listener, deliver } = hmacListener()
    const event = await acceptedEvent(await deliver({ eventId: ID.toUpperCase() }), listener)
    expect(event.id).toBe(ID)
    await event.commit()
    for (const eventId of [ID, ID.toUpperCase(), ID.replace('f', 'F')]) {
      expect(await outcome(await deliver({ eventId }), listener)).toBe('409 event_duplicate')
    }
  })

  it('a captured token does not become new when its event ID is re-cased', async () => {
    const { listener, deliver } = await es256Listener()
    const captured = await deliver({ eventId: ID })
    await (await acceptedEvent(captured, listener)).commit()
    for (const id of [ID.toUpperCase(), ID.replace('f', 'F'), ID.replace('cc', 'cC')]) {
      expect(await outcome(withHeaders(captured, { 'webhook-event-id': id }), listener)).toBe(
        '409 event_duplicate',
      )
    }
  })

  it('a listener refuses an ID re-cased after signing', async () => {
    const { listener, deliver } = hmacListener()
    const signed = await deliver({ eventId: ID })
    expect(await outcome(withHeaders(signed, { 'webhook-event-id': ID.toUpperCase() }), listener)).toBe(
      '401 signature_mismatch',
    )
  })
})

describe('the form', () => {
  it.each([
    `{${ID}}`,
    `urn:uuid:${ID}`,
    ID.replaceAll('-', ''),
    ID.slice(1),
    `${ID}0`,
    ID.replace('-', ' '),
    `${ID.slice(0, 20)} ${ID.slice(21)}`,
    ID.replace('-', '_'),
    '7f1d3c5-e0a4b-4c8d-9e2f-11aa33bb55cc',
    'g'.repeat(36),
  ])('a listener refuses the form %j', async (id) => {
    expect(await fate(id)).toBe(REFUSED)
  })

  it.each([
    `${ID}\n`,
    `${ID}\r\n`,
    `\n${ID}`,
    `${ID.slice(0, 35)}\n`,
    `${ID}\u0000`,
    `${ID.slice(0, 35)}\u0000`,
    `${ID}\u200b`,
    ID.replace('1', '１'),
    ID.replace('a', 'а'),
    `x\n${ID}`,
  ])('a listener refuses the foreign character in %j', async (id) => {
    expect(await fate(id)).toBe(REFUSED)
  })
})

it('a listener refuses an ID of 16 KB, and neither stores it nor hands it on', async () => {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  const told: unknown[] = []
  const onVerdict = (...given: unknown[]) => told.push(...given)
  const { listener, deliver } = hmacListener({ store, onVerdict })
  const long = 'a'.repeat(16_384)
  const verdict = await verify(withHeaders(await deliver(), { 'webhook-event-id': long }), listener)
  expect(verdict).toMatchObject({ status: 400, reason: 'event_id_not_uuid_v4' })
  expect(JSON.stringify([verdict, told]).length).toBeLessThan(500)
  expect(told[1]).not.toHaveProperty('eventId')
  expect(calls).toStrictEqual([])
})

it('a listener claims exactly the signed ID, in lower case', async () => {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  const { listener, deliver } = hmacListener({ store })
  const delivery = await deliver({ eventId: ID.toUpperCase() })
  await verify(delivery, listener)
  await verify(delivery, listener)
  expect(calls).toStrictEqual([`claim ${ID}`, `claim ${ID}`])
})
