import type { DynamoDB } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { EventStoreError } from '../../src/index.ts'
import { dynamodbStore } from '../../src/stores/dynamodb/store.ts'
import { eventStoreSuite } from '../../src/testing/index.ts'
import { expectAnyId } from '../support/any-id.ts'
import { DynamodbServer, settingsFor } from '../support/dynamodb-server.ts'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

const KEY = { listenerId: 'L1', eventId: '7f1d3c5e-0a4b-4c8d-9e2f-000000000001' }
const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let server: DynamodbServer
let client: DynamoDB

beforeAll(async () => {
  server = await DynamodbServer.start()
  client = server.client({ maxAttempts: 3 })
  await dynamodbStore(client).migrate()
})
afterAll(() => server.close())

const freshKey = () => ({ listenerId: 'L1', eventId: crypto.randomUUID() })

/** A clock that starts at the real time and moves only by hand. */
function movable() {
  let aheadMs = 0
  const now = () => Date.now() + aheadMs
  const advance = (milliseconds: number) => {
    aheadMs += milliseconds
  }
  return { clock: { now }, advance }
}

/** The record as it is in the table. */
async function recordOf({ listenerId, eventId }: typeof KEY, { prefix = '', reader = client } = {}) {
  const Key = { event_key: { S: `${prefix}${listenerId.length}:${listenerId}:${eventId}` } }
  return (await reader.getItem({ TableName: 'hookgate_events', Key, ConsistentRead: true })).Item
}

/** On a busy machine, a case that sends hundreds of requests at once takes long. */
const PATIENT = { abortSeconds: 60 }

describe('the contract of every store', () => {
  const fixture = (on: DynamoDB) => {
    const { clock, advance } = movable()
    return { store: dynamodbStore(on, { clock, ...PATIENT }), advance }
  }

  describe('with the conflicting record in the refusal, like AWS', () => {
    eventStoreSuite(it, () => fixture(client))
    it('the store takes any ID, as verify() maps it', () => expectAnyId(fixture(client).store))
  })

  describe('on dynalite itself, which does not return that record', () => {
    let plain: DynamoDB
    beforeAll(() => {
      plain = server.client({ ...settingsFor(server.plainPort), maxAttempts: 3 })
    })
    eventStoreSuite(it, () => fixture(plain))
  })
})

describe('time', () => {
  it('an event is a duplicate at 6 d 23 h 59 min, and a new one at 7 d 0 h 1 min', async () => {
    const { clock, advance } = movable()
    const { listener, deliver } = hmacListener({ store: dynamodbStore(client, { clock }) })
    const delivery = await deliver()
    await (await acceptedEvent(delivery, listener)).commit()
    advance(7 * DAY_MS - MINUTE_MS)
    expect(await outcome(delivery, listener)).toBe('409 event_duplicate')
    advance(2 * MINUTE_MS)
    expect(await outcome(delivery, listener)).toBe('accepted')
  })

  it('a process whose clock runs 10 s ahead takes over 10 s early, without overwriting another owner', async () => {
    const key = freshKey()
    const slow = dynamodbStore(client)
    const ahead = (milliseconds: number) =>
      dynamodbStore(client, { clock: { now: () => Date.now() + milliseconds } })
    await slow.claim(key, 'slow', LEASE_MS)
    expect(await ahead(LEASE_MS - 10_000).claim(key, 'fast', LEASE_MS)).toBe('busy')
    expect(await ahead(LEASE_MS).claim(key, 'fast', LEASE_MS)).toBe('acquired')
    expect(await slow.commit(key, 'slow', DAY_MS)).toBe('lost')
    expect(await slow.release(key, 'slow')).toBe(false)
  })

  it("a clock that is 10 s off or more is corrected by AWS's date, and check() reports it", async () => {
    const [near, far] = [freshKey(), freshKey()]
    const own = server.client()
    const store = dynamodbStore(own, { clock: { now: () => 1_800_000_000_000 } })
    onTestFinished(() => server.behave({ aheadMs: 0 }))
    await server.behave({ aheadMs: 5000 })
    expect(await store.check()).toStrictEqual([])
    await store.claim(near, 'a', LEASE_MS)
    expect((await recordOf(near, { reader: own }))?.lapses_at?.N).toBe('1800000060000')
    await server.behave({ aheadMs: 10 * MINUTE_MS })
    expect(await store.check()).toStrictEqual([])
    expect((await store.check())[0]?.problem).toMatch(/clock is (600|599|598) s behind that of AWS/)
    await store.claim(far, 'a', LEASE_MS)
    const corrected =
      Number((await recordOf(far, { reader: own }))?.lapses_at?.N) - LEASE_MS - 1_800_000_000_000
    expect(Math.abs(corrected - 10 * MINUTE_MS)).toBeLessThan(10_000)
  })

  it("a record's TTL in seconds is never before its end in milliseconds", async () => {
    const [leased, done] = [freshKey(), freshKey()]
    const store = dynamodbStore(client, { clock: { now: () => 1_800_000_000_001 } })
    await store.claim(leased, 'a', 500.5)
    await store.commit(done, 'a', 7 * DAY_MS)
    expect(await store.renew?.(leased, 'a', LEASE_MS)).toBe(true)
    expect(await recordOf(leased)).toMatchObject({
      lapses_at: { N: '1800000060001' },
      expires_at: { N: '1800000061' },
    })
    expect(await store.renew?.(leased, 'a', 500.5)).toBe(true)
    expect(await recordOf(leased)).toMatchObject({
      held_by: { S: 'a' },
      is_done: { BOOL: false },
      lapses_at: { N: '1800000000502' },
      expires_at: { N: '1800000001' },
    })
    expect(await recordOf(done)).toStrictEqual({
      event_key: expect.anything(),
      is_done: { BOOL: true },
      lapses_at: { N: '1800604800001' },
      expires_at: { N: '1800604801' },
    })
  })
})

describe("a clock that is wrong by ten minutes, before AWS's first response", () => {
  const TEN_MINUTES = 10 * MINUTE_MS
  /** A process that has heard nothing of AWS yet. */
  const newProcess = () => dynamodbStore(server.client())
  const until = async (key: typeof KEY) => Number((await recordOf(key))?.lapses_at?.N)
  afterEach(() => server.behave({ aheadMs: 0 }))

  it('a fast one takes over no lease that was just granted, and takes it over when it has lapsed', async () => {
    const key = freshKey()
    await server.behave({ aheadMs: -TEN_MINUTES })
    expect(await newProcess().claim(key, 'a', LEASE_MS)).toBe('acquired')
    const claims = Array.from({ length: 20 }, (_, index) => newProcess().claim(key, `b${index}`, LEASE_MS))
    expect(new Set(await Promise.all(claims))).toEqual(new Set(['busy']))
    expect(await newProcess().commit(key, 'b', DAY_MS)).toBe('lost')
    await server.behave({ aheadMs: LEASE_MS + 2000 - TEN_MINUTES })
    expect(await newProcess().claim(key, 'b', LEASE_MS)).toBe('acquired')
  })

  it.each([
    ['fast', -TEN_MINUTES],
    ['slow', TEN_MINUTES],
  ])("a %s one grants the lease, and remembers the event, by AWS's time", async (_, aheadMs) => {
    const [leased, done] = [freshKey(), freshKey()]
    await server.behave({ aheadMs })
    await newProcess().claim(leased, 'a', LEASE_MS)
    await newProcess().commit(done, 'a', DAY_MS)
    for (const [key, spanMs] of [
      [leased, LEASE_MS],
      [done, DAY_MS],
    ] as const) {
      expect(Math.abs((await until(key)) - spanMs - Date.now() - aheadMs)).toBeLessThan(10_000)
    }
    expect(await recordOf(done)).not.toHaveProperty('held_by')
    expect(await newProcess().claim(done, 'a', LEASE_MS)).toBe('done')
  })

  it.each([
    ['fast', -TEN_MINUTES],
    ['slow', TEN_MINUTES],
  ])("a %s one renews a running lease by AWS's time, and none that has lapsed", async (_, aheadMs) => {
    const [running, lapsed] = [freshKey(), freshKey()]
    await server.behave({ aheadMs })
    for (const key of [running, lapsed]) await newProcess().claim(key, 'a', LEASE_MS)
    expect(await newProcess().renew?.(running, 'b', LEASE_MS)).toBe(false)
    expect(await newProcess().renew?.(running, 'a', 3 * LEASE_MS)).toBe(true)
    expect(Math.abs((await until(running)) - 3 * LEASE_MS - Date.now() - aheadMs)).toBeLessThan(10_000)
    await server.behave({ aheadMs: aheadMs + LEASE_MS + 2000 })
    const before = await recordOf(lapsed)
    expect(await newProcess().renew?.(lapsed, 'a', LEASE_MS)).toBe(false)
    expect(await recordOf(lapsed)).toStrictEqual(before)
    expect(await newProcess().renew?.(running, 'a', LEASE_MS)).toBe(true)
    expect(await newProcess().claim(lapsed, 'b', LEASE_MS)).toBe('acquired')
  })

  it('a clock that is set while the handler runs renews its lease, which ends when it would have', async () => {
    for (const setMs of [TEN_MINUTES, -TEN_MINUTES]) {
      const key = freshKey()
      const store = dynamodbStore(server.client(), { clock: { now: () => Date.now() } })
      await store.claim(key, 'a', LEASE_MS)
      const began = Date.now()
      vi.useFakeTimers({ toFake: ['Date'], now: began + setMs })
      try {
        expect(await store.renew?.(key, 'a', 2 * LEASE_MS)).toBe(true)
        expect(await store.renew?.(key, 'b', 2 * LEASE_MS)).toBe(false)
      } finally {
        vi.useRealTimers()
      }
      expect(Math.abs((await until(key)) - 2 * LEASE_MS - began)).toBeLessThan(10_000)
    }
  })

  it('of 20 processes that begin at once, one gets the event, whatever their clock says', async () => {
    for (const aheadMs of [-TEN_MINUTES, 0, TEN_MINUTES]) {
      await server.behave({ aheadMs })
      const key = freshKey()
      const claims = Array.from({ length: 20 }, (_, index) => newProcess().claim(key, `${index}`, LEASE_MS))
      const answers = await Promise.all(claims)
      expect(answers.filter((answer) => answer === 'acquired')).toHaveLength(1)
    }
  })

  it('a clock that is set ahead while the handler runs still releases the lease', async () => {
    const key = freshKey()
    const store = dynamodbStore(server.client(), { clock: { now: () => Date.now() } })
    await store.claim(key, 'a', LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES })
    onTestFinished(() => void vi.useRealTimers())
    expect(await store.release(key, 'a')).toBe(true)
    expect(await recordOf(key)).toBeUndefined()
  })

  it('a clock that is set ahead while the process runs takes over no lease either', async () => {
    const [key, earlier] = [freshKey(), freshKey()]
    const store = dynamodbStore(server.client(), { clock: { now: () => Date.now() } })
    await store.claim(earlier, 'b', LEASE_MS)
    await newProcess().claim(key, 'a', LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + TEN_MINUTES })
    onTestFinished(() => void vi.useRealTimers())
    expect(await store.claim(key, 'b', LEASE_MS)).toBe('busy')
    expect(await store.claim(earlier, 'c', LEASE_MS)).toBe('busy')
  })
})

describe('keys', () => {
  it('a prefix keeps two services apart in one table', async () => {
    const key = freshKey()
    const [a, b] = [dynamodbStore(client, { prefix: 'a/' }), dynamodbStore(client, { prefix: 'b/' })]
    await a.commit(key, 'x', DAY_MS)
    expect(await b.claim(key, 'x', LEASE_MS)).toBe('acquired')
    expect(await recordOf(key, { prefix: 'a/' })).toMatchObject({ is_done: { BOOL: true } })
  })

  it('the longest prefix and the longest keys fit, and stay apart', async () => {
    const store = dynamodbStore(client, { prefix: '€'.repeat(64) })
    const listenerIds = ['€'.repeat(562), '€'.repeat(563), '€'.repeat(5000), `${'€'.repeat(4999)}x`]
    for (const listenerId of listenerIds) {
      expect(await store.claim({ ...KEY, listenerId }, 'a', LEASE_MS)).toBe('acquired')
      expect(await store.claim({ ...KEY, listenerId }, 'b', LEASE_MS)).toBe('busy')
    }
  })

  it("a foreign record under an event's key decides nothing", async () => {
    const key = freshKey()
    const Item = { event_key: { S: `2:L1:${key.eventId}` }, order: { S: '7' } }
    await client.putItem({ TableName: 'hookgate_events', Item })
    const store = dynamodbStore(client)
    await expect(store.claim(key, 'a', LEASE_MS)).rejects.toThrow(EventStoreError)
    await expect(store.commit(key, 'a', LEASE_MS)).rejects.toThrow(EventStoreError)
    expect(await store.release(key, 'a')).toBe(false)
    expect(await store.renew?.(key, 'a', LEASE_MS)).toBe(false)
    expect(
      (await client.getItem({ TableName: 'hookgate_events', Key: { event_key: Item.event_key } })).Item,
    ).toEqual(Item)
  })
})
