import express from 'express'
import pg from 'pg'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { webhookHandler } from '../../adapters/web.ts'
import { leaseOf } from '../../src/accepted-event.ts'
import { beat } from '../../src/beat.ts'
import { inbox } from '../../src/inbox/index.ts'
import { defineListener, type ListenerOptions, type WebhookEvent } from '../../src/index.ts'
import { linear } from '../../src/schemes/linear.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { withLocalCache } from '../../src/stores/local-cache.ts'
import { entityVersions, type PostgresStore, postgresStore } from '../../src/stores/postgres/store.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { serve } from '../support/servers.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'
const LOST = { name: 'LeaseLostError', code: 'ERR_LEASE_LOST' }
const INSERT = 'INSERT INTO orders VALUES ($1)'
const LEASE_MS = 60_000
const DAY_MS = 86_400_000
const LEVELS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

type Tx = pg.PoolClient
type Event = WebhookEvent<unknown>

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('event.commit(tx)'), () => {
  let server: PostgresServer
  let pool: pg.Pool
  let store: PostgresStore

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 12 })
    pool.on('error', () => {})
    store = postgresStore(pool)
    await store.migrate()
    await pool.query('CREATE TABLE orders (event_id text)')
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  const orders = async (id: string) =>
    (await pool.query('SELECT FROM orders WHERE event_id = $1', [id])).rowCount

  /** A transaction of the application. */
  async function transaction<Result>(
    work: (tx: Tx) => Promise<Result>,
    level = 'READ COMMITTED',
  ): Promise<Result> {
    const tx = await pool.connect()
    try {
      await tx.query(`BEGIN ISOLATION LEVEL ${level}`)
      const result = await work(tx)
      const { command } = await tx.query('COMMIT')
      if (command === 'ROLLBACK') throw new Error('rolled back by the server')
      return result
    } catch (error) {
      await tx.query('ROLLBACK')
      throw error
    } finally {
      tx.release()
    }
  }

  /** The whole handler: its one order, and the commit. */
  const order = (event: Event, level?: string) =>
    transaction(async (tx) => {
      await tx.query(INSERT, [event.id])
      return event.commit(tx)
    }, level)

  async function stripeEvent(options: Partial<ListenerOptions> = {}) {
    const told: unknown[] = []
    const listener = defineListener({
      id: `stripe ${crypto.randomUUID()}`,
      auth: stripe({ secrets: SECRET }),
      store,
      onError: (error) => told.push(error),
      ...options,
    })
    const id = `evt_${crypto.randomUUID()}`
    const request = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
    const delivery = toDelivery(request)
    return {
      told,
      listener,
      id,
      request,
      delivery,
      /** Accepts it, and no other delivery before its lease has ended. */
      accepted: () => acceptedEvent(delivery, listener),
      outcome: () => outcome(delivery, listener),
      /** The lease of the event ends, by the server's clock. */
      lapse: () =>
        pool.query(
          "UPDATE hookgate_events SET expires_at = now() - interval '1 second' WHERE NOT done AND listener_id = $1",
          [listener.id],
        ),
    }
  }

  describe('an event that is committed in a transaction', () => {
    it.each(LEVELS)(
      'its record and what was written there commit together, or not at all, under %s',
      async (level) => {
        const { id, accepted, outcome, told } = await stripeEvent()
        const event = await accepted()
        const failing = transaction(async (tx) => {
          await tx.query(INSERT, [id])
          expect(await event.commit(tx)).toBe('committed')
          throw new Error('of the handler')
        }, level)
        await expect(failing).rejects.toThrow('of the handler')
        expect(await event.release()).toBe(true)
        expect(await orders(id)).toBe(0)
        expect(await order(await accepted(), level)).toBe('committed')
        expect(await orders(id)).toBe(1)
        expect(await outcome()).toBe('200 event_duplicate')
        expect(told).toEqual([])
      },
    )

    it('nothing else sees it as done before the transaction commits', async () => {
      const { accepted, outcome } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await event.commit(tx)
        expect(await outcome()).toBe('503 event_in_progress')
      })
      expect(await outcome()).toBe('200 event_duplicate')
    })

    it.each(LEVELS)(
      'its lease is renewed while the transaction is open, before the commit and after it, under %s',
      async (level) => {
        const { id, accepted, listener } = await stripeEvent()
        const event = await accepted()
        const renewed = async () => {
          const { rows } = await pool.query(
            'UPDATE hookgate_events SET expires_at = expires_at WHERE listener_id = $1 RETURNING event_id, owner',
            [listener.id],
          )
          const [{ event_id: eventId, owner }] = rows
          const key = { listenerId: listener.id, eventId }
          for (let time = 0; time < 3; time += 1) expect(await store.renew?.(key, owner, LEASE_MS)).toBe(true)
        }
        await transaction(async (tx) => {
          await tx.query(INSERT, [id])
          await tx.query('SELECT FROM hookgate_events') // the snapshot is older than the renewals
          await renewed()
          expect(await event.commit(tx)).toBe('committed')
          await renewed()
        }, level)
        expect(await orders(id)).toBe(1)
      },
    )

    it('it may be committed again in the same transaction, or in the next one if that was rolled back', async () => {
      const { id, accepted, outcome } = await stripeEvent()
      const event = await accepted()
      const failing = transaction(async (tx) => {
        await event.commit(tx)
        throw new Error('try again')
      })
      await expect(failing).rejects.toThrow('try again')
      await transaction(async (tx) => {
        await tx.query(INSERT, [id])
        for (const _ of ['first', 'again']) expect(await event.commit(tx)).toBe('committed')
      })
      expect([await orders(id), await outcome()]).toEqual([1, '200 event_duplicate'])
      expect(await event.commit()).toBe('already')
    })

    it('it goes together with another event, and by both of its keys', async () => {
      const secret = 'a secret of this test, long enough'
      const listener = defineListener({ id: 'linear', auth: linear({ secrets: secret }), store })
      const data = { id: crypto.randomUUID() }
      const body = { webhookTimestamp: Date.now(), type: 'Issue', action: 'create', data }
      const delivery = toDelivery(await signAs(linear, { secret, body }))
      const [one, other] = [await acceptedEvent(delivery, listener), await stripeEvent()]
      const event = await other.accepted()
      await transaction(async (tx) => {
        await one.commit(tx)
        await event.commit(tx)
      })
      expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
      expect(await other.outcome()).toBe('200 event_duplicate')
      const { rows } = await pool.query(
        "SELECT count(*)::int AS n FROM hookgate_events WHERE done AND listener_id LIKE 'linear%'",
      )
      expect(rows).toEqual([{ n: 2 }])
    })

    it('it is remembered for the retention of its listener, and runs again after that', async () => {
      const { id, accepted, outcome, listener } = await stripeEvent({ retentionSeconds: 1000 })
      const age = (seconds: number) =>
        pool.query(
          "UPDATE hookgate_events SET expires_at = expires_at - $2 * interval '1 second' WHERE listener_id LIKE $1 || '%'",
          [listener.id, seconds],
        )
      await order(await accepted())
      await age(990)
      expect(await outcome()).toBe('200 event_duplicate')
      await age(20)
      await order(await accepted())
      expect([await orders(id), await outcome()]).toEqual([2, '200 event_duplicate'])
    })

    it('both of its rows are swept', async () => {
      const { accepted, listener } = await stripeEvent()
      await order(await accepted())
      const rows = async () =>
        (await pool.query("SELECT FROM hookgate_events WHERE listener_id LIKE $1 || '%'", [listener.id]))
          .rowCount
      expect(await rows()).toBe(2)
      await pool.query('UPDATE hookgate_events SET expires_at = now()')
      await store.sweep()
      expect(await rows()).toBe(0)
    })

    it('the transaction of postgres.js is one, and so is that of a store behind a cache', async () => {
      const sql = postgres({ host: server.folder, user: 'hookgate', database: 'postgres', max: 2 })
      const { id, accepted, outcome } = await stripeEvent({ store: withLocalCache(store) })
      const event = await accepted()
      const failing = sql.begin(async (tx) => {
        await event.commit(tx)
        throw new Error('of the handler')
      })
      await expect(failing).rejects.toThrow('of the handler')
      await sql.begin(async (tx) => {
        await tx`INSERT INTO orders VALUES (${id})`
        await event.commit(tx)
      })
      expect([await orders(id), await outcome()]).toEqual([1, '200 event_duplicate'])
      await sql.end()
    })

    it('entityVersions joins the same transaction: the version and the event are kept or undone together', async () => {
      const versions = entityVersions()
      await versions.migrate(pool)
      const { id, accepted } = await stripeEvent()
      const event = await accepted()
      const save = (version: number, fails: boolean) =>
        transaction(async (tx) => {
          const answer = await versions.advance(tx, id, version)
          await event.commit(tx)
          if (fails) throw new Error('of the handler')
          return answer
        })
      await expect(save(9, true)).rejects.toThrow('of the handler')
      expect(await save(1, false)).toBe('newer')
    })
  })

  describe('a handler that comes too late', () => {
    type Scene = Awaited<ReturnType<typeof stripeEvent>>
    const TAKEN: readonly [string, (scene: Scene) => Promise<unknown>][] = [
      ['another delivery runs the event', ({ accepted }) => accepted()],
      ['another delivery has committed it', async ({ accepted }) => (await accepted()).commit()],
      ['another delivery has committed it in a transaction', async ({ accepted }) => order(await accepted())],
    ]
    const CASES = LEVELS.flatMap((level) => TAKEN.map(([what, take]) => ({ level, what, take })))

    it.each(CASES)(
      'it writes nothing, even if it ignores the error of its commit, if $what, under $level',
      async ({ level, what, take }) => {
        const scene = await stripeEvent()
        const late = await scene.accepted()
        const ignoring = transaction(async (tx) => {
          await tx.query(INSERT, ['late'])
          await tx.query('SELECT FROM hookgate_events') // the snapshot is older than what follows
          await scene.lapse()
          await take(scene)
          const known = level === 'READ COMMITTED' ? LOST : { code: 'ERR_EVENT_STORE' }
          await expect(late.commit(tx)).rejects.toMatchObject(known)
        }, level)
        await expect(ignoring).rejects.toThrow('rolled back by the server')
        expect(await orders('late')).toBe(0)
        await expect(order(late, level)).rejects.toMatchObject(LOST) // with a snapshot that shows it
        expect(await orders(scene.id)).toBe(what.endsWith('in a transaction') ? 1 : 0)
        expect(scene.told).toEqual([expect.objectContaining(LOST)])
      },
    )

    it('an error under REPEATABLE READ names the isolation level that helps', async () => {
      const { accepted, lapse } = await stripeEvent()
      const late = await accepted()
      const failing = transaction(async (tx) => {
        await tx.query('SELECT FROM hookgate_events')
        await lapse()
        await accepted()
        await late.commit(tx)
      }, 'REPEATABLE READ')
      await expect(failing).rejects.toMatchObject({
        message: expect.stringContaining('use READ COMMITTED'),
        cause: { code: '40001' },
      })
    })

    it('it commits if its lease has ended, and nobody else has the event', async () => {
      const { id, accepted, lapse, outcome } = await stripeEvent()
      const late = await accepted()
      await lapse()
      expect(await order(late)).toBe('committed')
      expect([await orders(id), await outcome()]).toEqual([1, '200 event_duplicate'])
    })

    it('it releases nothing after its transaction has committed', async () => {
      const { accepted, outcome } = await stripeEvent()
      const event = await accepted()
      await order(event)
      expect(await event.release()).toBe(false)
      expect(await outcome()).toBe('200 event_duplicate')
    })

    it('it commits nothing after its own release', async () => {
      const { id, accepted } = await stripeEvent()
      const event = await accepted()
      await event.release()
      await expect(order(event)).rejects.toMatchObject(LOST)
      expect(await orders(id)).toBe(0)
    })

    it('nobody takes over an event while a transaction that has committed it is open', async () => {
      const { id, accepted, lapse, outcome } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await tx.query(INSERT, [id])
        await event.commit(tx)
        await lapse()
        expect(await outcome()).toBe('503 event_in_progress')
      })
      expect([await orders(id), await outcome()]).toEqual([1, '200 event_duplicate'])
    })

    it.each(LEVELS)(
      'of two runs that commit at once, one takes effect, in each of 100 races under %s',
      async (level) => {
        let effects = 0
        for (let race = 0; race < 100; race += 1) {
          const { id, accepted, lapse, outcome } = await stripeEvent()
          const first = await accepted()
          await lapse()
          const second = await accepted()
          const run = (event: Event, pauseMs: number) =>
            transaction(async (tx) => {
              await tx.query(INSERT, [id])
              if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs))
              await event.commit(tx).catch(() => {})
            }, level).then(
              () => 1,
              () => 0,
            )
          const [one = 0, other = 0] = await Promise.all([run(first, race % 3), run(second, (race * 7) % 4)])
          expect(one + other, `race ${race}`).toBeLessThanOrEqual(1)
          expect(await orders(id)).toBe(one + other)
          effects += one + other
          if (one + other === 1) expect(await outcome()).toBe('200 event_duplicate')
        }
        expect(effects).toBeGreaterThan(90)
      },
    )

    it('of a late run and claims that take over, at most one takes effect, in each of 100 races', async () => {
      for (let race = 0; race < 100; race += 1) {
        const { id, accepted, lapse } = await stripeEvent()
        const first = await accepted()
        await lapse()
        const next = async () => {
          await new Promise((resolve) => setTimeout(resolve, race % 5))
          return order(await accepted())
        }
        await Promise.allSettled([order(first), next(), next()])
        expect(await orders(id), `race ${race}`).toBe(1)
      }
    })
  })

  describe('in a savepoint, which may be rolled back alone', () => {
    const REFUSED = { code: 'ERR_LISTENER_CONFIG', message: /^tx: is in a savepoint/ }
    const refused = (joining: Promise<unknown>) =>
      expect(joining).rejects.toSatisfy(
        (error: Error & { code: string }) =>
          error.code === REFUSED.code && REFUSED.message.test(error.message),
      )

    it.each(LEVELS)('the server refuses it, however deep, under %s', async (level) => {
      const { accepted, id } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await tx.query(INSERT, [id])
        for (const name of ['one', 'two']) {
          await tx.query(`SAVEPOINT ${name}`)
          await refused(event.commit(tx))
          await expect(tx.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' }) // the savepoint has failed
          await tx.query(`ROLLBACK TO ${name}`)
        }
        await tx.query('RELEASE one')
        expect(await event.commit(tx)).toBe('committed')
      }, level)
      expect(await orders(id)).toBe(1)
    })

    it('a handler that swallows the error has not committed the event, which is released by a 2xx', async () => {
      const { accepted, outcome } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await tx.query('SAVEPOINT one')
        await event.commit(tx).catch(() => {})
        await tx.query('ROLLBACK TO one; RELEASE one')
      })
      await expect(event.commit()).rejects.toThrow('was not committed')
      expect(await outcome()).toBe('accepted')
    })

    it('one that was rolled back is still open, until it is released', async () => {
      const { accepted } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await tx.query('SAVEPOINT one')
        await tx.query('ROLLBACK TO one')
        await refused(event.commit(tx))
        await tx.query('ROLLBACK TO one; RELEASE one')
        expect(await event.commit(tx)).toBe('committed')
      })
    })

    it('one that was released before, or is rolled back after the commit, changes nothing', async () => {
      const { id, accepted, outcome } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await tx.query('SAVEPOINT one')
        await tx.query(INSERT, [id])
        await tx.query('RELEASE one')
        expect(await event.commit(tx)).toBe('committed')
        await tx.query('SAVEPOINT two')
        await tx.query(INSERT, [id])
        await tx.query('ROLLBACK TO two')
      })
      expect([await orders(id), await outcome()]).toEqual([1, '200 event_duplicate'])
    })

    it('one that is opened after the commit refuses another one in it', async () => {
      const { accepted } = await stripeEvent()
      const event = await accepted()
      await transaction(async (tx) => {
        await event.commit(tx)
        await tx.query('SAVEPOINT one')
        await refused(event.commit(tx))
        await tx.query('ROLLBACK TO one')
      })
      expect(await event.commit()).toBe('already')
    })

    it('a nested transaction of postgres.js is one', async () => {
      const sql = postgres({ host: server.folder, user: 'hookgate', database: 'postgres', max: 1 })
      const { accepted } = await stripeEvent()
      const event = await accepted()
      await refused(sql.begin((tx) => tx.savepoint((inner) => event.commit(inner))))
      await sql.end()
    })
  })

  describe('without a transaction', () => {
    it('a pool, and a connection without BEGIN, are refused, and nothing is done', async () => {
      const { accepted, outcome } = await stripeEvent()
      const event = await accepted()
      await expect(event.commit(pool)).rejects.toThrow(/^tx: must be the client of one open transaction/)
      const alone = await pool.connect()
      await expect(event.commit(alone)).rejects.toThrow(
        /^tx: commit\(tx\) takes the client of an open transaction/,
      )
      for (const before of ['BEGIN; SELECT txid_current(); COMMIT', "SET hookgate.open = 'yes'"]) {
        await alone.query(before)
        await expect(event.commit(alone)).rejects.toThrow(
          /^tx: commit\(tx\) takes the client of an open transaction/,
        )
      }
      await alone.query('RESET hookgate.open')
      alone.release()
      await expect(event.commit()).rejects.toThrow('was not committed')
      expect(await outcome()).toBe('accepted')
    })

    it('anything but a client is refused', async () => {
      const { accepted } = await stripeEvent()
      const event = await accepted()
      for (const tx of [undefined, null])
        await expect(event.commit(tx as never)).rejects.toThrow(/^tx: is missing/)
      for (const tx of [{}, 'BEGIN', 7])
        await expect(event.commit(tx as object)).rejects.toThrow(/^tx: is not a known Postgres client/)
    })

    it('an inbox cannot join one, and the error says what can', async () => {
      const box = inbox(pool)
      await box.migrate()
      const { accepted } = await stripeEvent({ store: box.store })
      const event = await accepted()
      await expect(order(event)).rejects.toMatchObject({
        code: 'ERR_LISTENER_CONFIG',
        message: expect.stringMatching(/^store: cannot commit in your transaction: use postgresStore/),
      })
      expect(await orders(event.id)).toBe(0)
    })
  })

  describe('the answer of a handler', () => {
    /** The status of a fetch handler, which its framework answers 500 for if it rejects. */
    async function post(
      handle: (request: Request) => Promise<Response>,
      { headers, body }: Awaited<ReturnType<typeof signAs>>,
    ): Promise<number> {
      const request = new Request('http://localhost/', { method: 'POST', headers, body })
      return handle(request).then(
        ({ status }) => status,
        () => 500,
      )
    }

    it('a 2xx after a transaction that was rolled back is answered 500, told, and the next delivery runs', async () => {
      const { id, request, told, listener } = await stripeEvent()
      let runs = 0
      const handle = webhookHandler(listener, async (event) => {
        runs += 1
        const isFirst = runs === 1
        await transaction(async (tx) => {
          await tx.query(INSERT, [id])
          await event.commit(tx)
          if (isFirst) throw new Error('swallowed')
        }).catch(() => {})
      })
      const statuses = [await post(handle, request), await post(handle, request), await post(handle, request)]
      expect(statuses).toEqual([500, 200, 200])
      expect([runs, await orders(id)]).toEqual([2, 1])
      expect(told).toEqual([
        expect.objectContaining({
          code: 'ERR_EVENT_STORE',
          message: expect.stringContaining('was not committed: the event was released'),
        }),
      ])
    })

    it('a failure after the transaction has committed leaves the event done', async () => {
      const { id, request, told, listener } = await stripeEvent()
      const handle = webhookHandler(listener, async (event) => {
        await order(event)
        throw new Error('after COMMIT')
      })
      expect([await post(handle, request), await post(handle, request)]).toEqual([500, 200])
      expect(await orders(id)).toBe(1)
      expect(told).toEqual([])
    })

    it('an answer that leaves before COMMIT is over is waited for', async () => {
      const { id, request, told, listener, outcome } = await stripeEvent({ leaseSeconds: 0.4 })
      const app = express().post('/hook', verifyWebhook(listener), async (req, res) => {
        await transaction(async (tx) => {
          await tx.query(INSERT, [id])
          await webhookOf(req).commit(tx)
          res.sendStatus(200)
          await tx.query('SELECT pg_sleep(0.2)')
        })
      })
      const { address } = await serve(app)
      const url = `http://127.0.0.1:${Object(address).port}/hook`
      expect((await fetch(url, request)).status).toBe(200)
      await expect.poll(outcome).toBe('200 event_duplicate')
      expect(await orders(id)).toBe(1)
      expect(told).toEqual([])
    })

    it('an answer that leaves before a ROLLBACK is told', async () => {
      const { id, request, told, listener, outcome } = await stripeEvent()
      const app = express().post('/hook', verifyWebhook(listener), async (req, res) => {
        await transaction(async (tx) => {
          await tx.query(INSERT, [id])
          await webhookOf(req).commit(tx)
          res.sendStatus(200)
          await tx.query('SELECT pg_sleep(0.2)')
          throw new Error('swallowed')
        }).catch(() => {})
      })
      const { address } = await serve(app)
      const url = `http://127.0.0.1:${Object(address).port}/hook`
      expect((await fetch(url, request)).status).toBe(200)
      await expect.poll(() => told).toHaveLength(1)
      expect(told).toEqual([
        expect.objectContaining({ message: expect.stringContaining('was not committed') }),
      ])
      expect([await orders(id), await outcome()]).toEqual([0, 'accepted'])
    })

    it('a transaction that outlives two leases keeps the event, before its commit and after it', async () => {
      const { id, request, told, listener } = await stripeEvent({ leaseSeconds: 0.4 })
      let runs = 0
      const app = express().post('/hook', verifyWebhook(listener), async (req, res) => {
        runs += 1
        const pause = () => new Promise((resolve) => setTimeout(resolve, 900)) // by the server's clock
        await transaction(async (tx) => {
          await tx.query(INSERT, [id])
          await pause()
          await webhookOf(req).commit(tx)
          await pause()
        }, 'REPEATABLE READ')
        res.sendStatus(200)
      })
      const { address } = await serve(app)
      const send = async () => (await fetch(`http://127.0.0.1:${Object(address).port}/hook`, request)).status
      const first = send()
      const others: number[] = []
      while (others.length < 4) {
        await new Promise((resolve) => setTimeout(resolve, 400))
        others.push(await send())
      }
      expect(others).toEqual([503, 503, 503, 503])
      expect([await first, await send()]).toEqual([200, 200])
      expect([runs, await orders(id)]).toEqual([1, 1])
      expect(told).toEqual([])
    })

    it('it costs three statements: a claim, a commit, and a question when the handler has answered', async () => {
      const sent: string[] = []
      const counting = {
        query: (text: string, values: string[]) => {
          sent.push(`outside ${/INSERT|DELETE/.exec(text)}`)
          return pool.query(text, values)
        },
      }
      const { request, listener } = await stripeEvent({ store: postgresStore(counting) })
      const handle = webhookHandler(listener, (event) =>
        transaction(async (tx) => {
          await tx.query(INSERT, [event.id])
          const inside = {
            query: (text: string, values: string[]) => {
              sent.push('inside')
              return tx.query(text, values)
            },
          }
          await event.commit(inside)
        }),
      )
      expect(await post(handle, request)).toBe(200)
      expect(sent).toEqual(['outside INSERT', 'inside', 'outside INSERT'])
    })
  })

  it('in a table with partitions, whose server shows no savepoint, it fails, and check() says so', async () => {
    await pool.query(`CREATE TABLE parted (LIKE hookgate_events, PRIMARY KEY (event_id, listener_id)) PARTITION BY HASH (event_id);
      CREATE TABLE part PARTITION OF parted FOR VALUES WITH (MODULUS 1, REMAINDER 0)`)
    const parted = postgresStore(pool, { table: 'parted' })
    const { id, accepted } = await stripeEvent({ store: parted })
    await expect(order(await accepted())).rejects.toMatchObject({ code: 'ERR_EVENT_STORE' })
    expect(await orders(id)).toBe(0)
    const problems = (await parted.check()).map(({ problem }) => problem)
    expect(problems).toContainEqual(
      expect.stringContaining('no transaction of yours can commit events in it'),
    )
  })

  describe("an event that is no longer this delivery's, although the handler ignores the error", () => {
    const ignored = (event: Event, level?: string) =>
      transaction(async (tx) => {
        await tx.query(INSERT, [event.id])
        await expect(event.commit(tx)).rejects.toMatchObject(LOST)
      }, level)

    it.each([
      ['it was released, e.g. by a 500 of a middleware', (event: Event) => event.release(), /released/],
      [
        'it was committed, e.g. by a 2xx',
        (event: Event) => event.commit(),
        /was committed.*before you answer/,
      ],
    ])('%s: the transaction fails, and it is told', async (_, settle, why) => {
      const { id, accepted, told } = await stripeEvent()
      const event = await accepted()
      await settle(event)
      await expect(ignored(event)).rejects.toThrow('rolled back by the server')
      expect(await orders(id)).toBe(0)
      expect(told).toMatchObject([{ ...LOST, message: expect.stringMatching(why) }])
    })

    it.each(LEVELS)('its record is gone, under %s', async (level) => {
      const { id, accepted, lapse } = await stripeEvent()
      const event = await accepted()
      await lapse()
      await (await accepted()).release()
      await expect(ignored(event, level)).rejects.toThrow('rolled back by the server')
      expect(await orders(id)).toBe(0)
    })

    it('the transaction is of another schema that has such a table, too', async () => {
      const { id, accepted } = await stripeEvent()
      const event = await accepted()
      await pool.query('CREATE SCHEMA tenant')
      await postgresStore(pool, { table: 'tenant.hookgate_events' }).migrate()
      const failing = transaction(async (tx) => {
        await tx.query('SET LOCAL search_path = tenant, public')
        await tx.query(INSERT, [id])
        await event.commit(tx).catch(() => {})
      })
      await expect(failing).rejects.toThrow('rolled back by the server')
      expect(await orders(id)).toBe(0)
    })
  })

  it('a claim that takes over while the transaction commits finds the event done', async () => {
    const planning = new pg.Pool({ ...server.address, max: 4, options: '-c jit_above_cost=0' }) // statements begin early, and lock late
    planning.on('error', () => {})
    const other = postgresStore(planning)
    const taken: unknown[] = []
    for (let race = 0; race < 10; race += 1) {
      const key = { listenerId: 'takeovers', eventId: crypto.randomUUID() }
      await store.claim(key, 'a', LEASE_MS)
      await pool.query(
        "UPDATE hookgate_events SET expires_at = now() - interval '1 second' WHERE listener_id = 'takeovers'",
      )
      const tx = await pool.connect()
      await tx.query('BEGIN')
      await store.commitIn?.(tx, key, 'a', DAY_MS)
      const claims = ['b', 'c', 'd', 'e'].map(async (owner) => {
        for (;;) {
          const answer = await other.claim(key, owner, LEASE_MS)
          if (answer !== 'busy') return answer
        }
      })
      await tx.query('COMMIT')
      tx.release()
      taken.push(...(await Promise.all(claims)))
    }
    await planning.end()
    expect(new Set(taken)).toEqual(new Set(['done']))
  })

  it('a handler that works on after its COMMIT keeps its signal, is told of nothing, and renews no lease', async () => {
    const { accepted, told } = await stripeEvent()
    const event = await accepted()
    const lease = leaseOf(event)
    if (lease === undefined) throw new Error('it was claimed')
    await order(event)
    lease.heldSince -= LEASE_MS * 0.6
    await expect.poll(() => beat(lease)).toBe(false)
    expect([event.signal.aborted, told]).toEqual([false, []])
    expect(await event.commit()).toBe('already')
  })

  it('a transaction that is open for longer than the lease keeps the event, and one that is rolled back does, too', async () => {
    const { accepted, told } = await stripeEvent()
    const event = await accepted()
    const lease = leaseOf(event)
    if (lease === undefined) throw new Error('it was claimed')
    const renewed = async () => {
      lease.heldSince -= LEASE_MS * 0.6
      const before = lease.heldSince
      beat(lease)
      await expect.poll(() => lease.heldSince).toBeGreaterThan(before)
    }
    await transaction(async (tx) => {
      await event.commit(tx)
      await renewed()
      throw new Error('of the handler')
    }).catch(() => {})
    await renewed()
    expect([event.signal.aborted, told]).toEqual([false, []])
    expect(await event.release()).toBe(true)
  })
})
