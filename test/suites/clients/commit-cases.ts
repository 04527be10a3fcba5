import { defineListener, type EventStore, type WebhookEvent } from 'hookgate'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { webhookHandler } from 'hookgate/web'
import type { ExpectStatic } from 'vitest'

const INSERT = 'INSERT INTO payments VALUES ($1)'
const SECRET = 'whsec_of-a-test-with-32-characters-0'

/** An app whose handler pays once for each event, in a transaction of its client or ORM. */
export interface App<Tx extends object = object> {
  readonly store: EventStore
  /** The whole handler. */
  pay(event: WebhookEvent): Promise<unknown>
  payments(id: string): Promise<number>
  /** A transaction of the client or ORM. */
  begin(work: (tx: Tx) => Promise<unknown>): PromiseLike<unknown>
  /** A savepoint in it, as the client or ORM makes one. */
  nested(tx: Tx, work: (inner: Tx) => Promise<unknown>): PromiseLike<unknown>
  /** After which nested transactions it leaves their savepoint open. */
  readonly leavesOpen: 'all' | 'failed' | 'none'
  /** Runs a statement in it. */
  run(tx: Tx, text: string, ...values: string[]): PromiseLike<unknown>
  /** What `event.commit()` takes: the transaction, or the executor that an error shows. */
  taken(tx: Tx): object
}

type Case = (app: App, expect: ExpectStatic) => Promise<void>

/** How `event.commit(tx)` behaves with every client and ORM, each time through a delivery that is answered. */
export const COMMIT_CASES: Readonly<Record<string, Case>> = {
  async 'the record of an event and its payment commit together'(app, expect) {
    const { id, deliver, told } = await sent(app.store)
    for (const _ of ['first', 'again']) expect(await deliver(app.pay)).toBe(200)
    expect(await app.payments(id)).toBe(1)
    expect(told).toEqual([])
  },

  async 'a transaction that is rolled back leaves no payment, and the event runs again'(app, expect) {
    const { id, deliver } = await sent(app.store)
    expect(await deliver((event) => failing(app, event))).toMatchObject(FAILED)
    expect(await app.payments(id)).toBe(0)
    expect(await deliver(app.pay)).toBe(200)
    expect(await app.payments(id)).toBe(1)
  },

  async 'a 2xx after a transaction that was rolled back is told, and the event runs again'(app, expect) {
    const { id, deliver, told } = await sent(app.store)
    expect(await deliver((event) => failing(app, event).catch(() => {}))).toMatchObject(NOT_COMMITTED)
    expect(told).toMatchObject([NOT_COMMITTED])
    expect(await app.payments(id)).toBe(0)
    expect(await deliver(app.pay)).toBe(200)
    expect(await app.payments(id)).toBe(1)
  },

  async 'a handler that has lost its event pays nothing, and hears of it'(app, expect) {
    const { id, deliver, lose, told } = await sent(app.store)
    const late = deliver(async (event) => {
      await lose()
      expect(await deliver(app.pay)).toBe(200)
      await app.pay(event)
    })
    expect(await late).toMatchObject(LOST)
    expect(await app.payments(id)).toBe(1)
    expect(told).toMatchObject([LOST])
  },

  async 'a handler that has lost its event pays nothing, even if it ignores the error'(app, expect) {
    const { id, deliver, lose, told } = await sent(app.store)
    let error: unknown
    const late = deliver(async (event) => {
      await lose()
      expect(await deliver(app.pay)).toBe(200)
      await ending(app, async (tx) => {
        await app.run(tx, INSERT, id)
        error = await failureOf(event.commit(app.taken(tx)))
      })
    })
    expect(await late).toBe(200) // the event is done, though by another delivery
    expect(error).toMatchObject(LOST)
    expect(await app.payments(id)).toBe(1)
    expect(told).toMatchObject([LOST])
  },

  async 'a commit in a nested transaction is refused, and nothing is paid, even if the error is ignored there'(
    app,
    expect,
  ) {
    const { id, deliver, told } = await sent(app.store)
    let error: unknown
    const first = deliver((event) =>
      ending(app, async (tx) => {
        await app.run(tx, INSERT, id)
        await app.nested(tx, async (inner) => {
          error = await failureOf(event.commit(app.taken(inner)))
        })
      }),
    )
    expect(await first).toMatchObject(NOT_COMMITTED)
    expect(String(error)).toMatch(IN_SAVEPOINT)
    expect(told).toMatchObject([NOT_COMMITTED])
    expect(await app.payments(id)).toBe(0)
    expect(await deliver(app.pay)).toBe(200)
    expect(await app.payments(id)).toBe(1)
  },

  async 'a nested transaction that is refused undoes its own writes alone, and the event is not done'(
    app,
    expect,
  ) {
    const { id, deliver, told } = await sent(app.store)
    const first = deliver(async (event) => {
      await app.begin(async (tx) => {
        await app.run(tx, INSERT, `outside ${id}`)
        const refused = app.nested(tx, async (inner) => {
          await app.run(inner, INSERT, id)
          await event.commit(app.taken(inner))
        })
        await expect(Promise.resolve(refused)).rejects.toThrow(IN_SAVEPOINT)
      })
    })
    expect(await first).toMatchObject(NOT_COMMITTED)
    expect(told).toMatchObject([NOT_COMMITTED])
    expect([await app.payments(`outside ${id}`), await app.payments(id)]).toEqual([1, 0])
    expect(await deliver(app.pay)).toBe(200)
    expect(await app.payments(id)).toBe(1)
  },

  async 'after a nested transaction that succeeded, the event is committed, unless its savepoint is left open'(
    app,
    expect,
  ) {
    await afterNested(app, expect, succeeding, app.leavesOpen === 'all')
  },

  async 'after a nested transaction that failed, the event is committed, unless its savepoint is left open'(
    app,
    expect,
  ) {
    await afterNested(app, expect, undone, app.leavesOpen !== 'none')
  },

  async 'a savepoint of the handler closes what a nested transaction in it has left open'(app, expect) {
    for (const nested of [succeeding, undone]) {
      const closed: Nested = async (...given) => {
        const [{ run }, tx] = given
        await run(tx, 'SAVEPOINT a')
        await nested(...given)
        await run(tx, 'RELEASE SAVEPOINT a')
      }
      await afterNested(app, expect, closed, false)
    }
  },
}

/** The same with a second connection, for which a database of one connection would wait. */
export const CONCURRENT_CASES: Readonly<Record<string, Case>> = {
  async 'a handler that outlives two renewals commits the event, at each isolation level'(app, expect) {
    for (const level of LEVELS) {
      const { id, deliver, renew, told } = await sent(app.store)
      const renewed = elsewhere(async () => [await renew(), await renew()])
      const whole = deliver((event) =>
        app.begin(async (tx) => {
          await app.run(tx, `SET TRANSACTION ISOLATION LEVEL ${level}`)
          await app.run(tx, INSERT, id) // two of the levels see nothing later
          expect(await renewed()).toEqual([true, true])
          await event.commit(app.taken(tx))
        }),
      )
      expect(await whole).toBe(200)
      expect(await app.payments(id)).toBe(1)
      expect(told).toEqual([])
    }
  },

  async 'a handler that has lost its event meanwhile pays nothing, even if it ignores the error, at each isolation level'(
    app,
    expect,
  ) {
    for (const level of LEVELS) {
      const { id, deliver, lose, told } = await sent(app.store)
      const takenOver = elsewhere(async () => {
        await lose()
        return deliver(app.pay)
      })
      let error: unknown
      const late = deliver((event) =>
        ending(app, async (tx) => {
          await app.run(tx, `SET TRANSACTION ISOLATION LEVEL ${level}`)
          await app.run(tx, INSERT, id)
          await takenOver()
          error = await failureOf(event.commit(app.taken(tx)))
        }),
      )
      expect(await late).toBe(200)
      expect(await takenOver()).toBe(200)
      expect(error).toMatchObject(level === 'READ COMMITTED' ? LOST : NOT_SERIALIZED)
      expect(await app.payments(id)).toBe(1)
      expect(told).toMatchObject(level === 'READ COMMITTED' ? [LOST] : [])
    }
  },

  async 'a claim stays out of the transaction that its caller has open'(app, expect) {
    const key = { listenerId: 'stripe', eventId: crypto.randomUUID() }
    const failing = app.begin(async (tx) => {
      await app.run(tx, INSERT, key.eventId)
      expect(await app.store.claim(key, 'a', 60_000)).toBe('acquired')
      throw new Error('of the caller')
    })
    await expect(Promise.resolve(failing)).rejects.toThrow('of the caller')
    expect(await app.payments(key.eventId)).toBe(0)
    expect(await app.store.claim(key, 'b', 60_000)).toBe('busy')
  },
}

const LEVELS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

/**
 * Runs it when it is called, as another request would: not in the transaction around the call, which some ORMs keep for whatever is called
 * there.
 */
function elsewhere<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let start = () => {}
  const done = new Promise<void>((resolve) => {
    start = resolve
  }).then(work)
  return () => {
    start()
    return done
  }
}

const FAILED = { message: 'of the handler' }
const LOST = { name: 'LeaseLostError', code: 'ERR_LEASE_LOST' }
const NOT_SERIALIZED = {
  name: 'EventStoreError',
  message:
    'commit(tx) could not be serialized, so the server fails this transaction: another delivery has run the event or runs it, or another ' +
    'transaction was in the way, which happens under REPEATABLE READ and SERIALIZABLE alone. Let the handler fail, or use READ COMMITTED',
}
const NOT_COMMITTED = {
  name: 'EventStoreError',
  message:
    'the handler succeeded, but the transaction of its commit(tx) was not committed: the event was released, and runs again when it is sent again',
}
const IN_SAVEPOINT = /tx: is in a savepoint/

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'did not fail',
    (error: unknown) => error,
  )

/** Waits for its end. Few clients tell that the server rolls back what has failed. */
async function ending({ begin }: App, work: (tx: object) => Promise<unknown>): Promise<void> {
  try {
    await begin(work)
  } catch {}
}

/** Pays in a nested transaction, or after one that has failed. */
type Nested = (app: App, tx: object, id: string) => PromiseLike<unknown>

const succeeding: Nested = ({ nested, run }, tx, id) => nested(tx, async (inner) => run(inner, INSERT, id))

const undone: Nested = async ({ nested, run }, tx, id) => {
  try {
    await nested(tx, async (inner) => {
      await run(inner, INSERT, `undone ${id}`)
      throw new Error('of the nested transaction')
    })
  } catch {}
  await run(tx, INSERT, id)
}

async function afterNested(app: App, expect: ExpectStatic, nested: Nested, isLeftOpen: boolean) {
  const { id, deliver } = await sent(app.store)
  const first = deliver((event) =>
    app.begin(async (tx) => {
      await nested(app, tx, id)
      await event.commit(app.taken(tx))
    }),
  )
  if (isLeftOpen) expect(String(await first)).toMatch(IN_SAVEPOINT)
  else expect(await first).toBe(200)
  expect(await app.payments(id)).toBe(isLeftOpen ? 0 : 1)
  expect(await app.payments(`undone ${id}`)).toBe(0)
}

async function failing(app: App, event: WebhookEvent): Promise<void> {
  await app.begin(async (tx) => {
    await app.run(tx, INSERT, event.id)
    await event.commit(app.taken(tx))
    throw new Error('of the handler')
  })
}

/** An event of Stripe. Each delivery of it has a handler of its own, and resolves to the answer's status, or to what was thrown. */
async function sent(store: EventStore) {
  const told: unknown[] = []
  let lose = async () => {}
  let renew = async (): Promise<unknown> => false
  const listener = defineListener({
    id: 'stripe',
    auth: stripe({ secrets: SECRET }),
    store: {
      ...store,
      claim(key, owner, ms) {
        lose = async () => void (await store.release(key, owner))
        renew = async () => store.renew?.(key, owner, ms)
        return store.claim(key, owner, ms)
      },
    },
    onError: (error) => told.push(error),
  })
  const id = `evt_${crypto.randomUUID()}`
  const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
  return {
    id,
    told,
    async deliver(handle: (event: WebhookEvent) => PromiseLike<unknown>): Promise<unknown> {
      const answer = webhookHandler(listener, async (event) => void (await handle(event)))
      try {
        return (await answer(new Request('https://example.com/', request))).status
      } catch (error) {
        return error
      }
    },
    /** Ends the lease of the last delivery, which does not know. */
    lose: () => lose(),
    /** Renews it. */
    renew: () => renew(),
  }
}
