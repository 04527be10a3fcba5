import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import * as ofGithub from '../../examples/ordering/github.ts'
import * as ofStripe from '../../examples/ordering/stripe.ts'
import { github } from '../../src/schemes/github.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs } from '../../src/testing/index.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { randomNumbers } from '../support/random-numbers.ts'

const SECRET = 'whsec_of-a-test-with-32-characters-0'

/** Every order of a few. */
function orders<T>(some: readonly T[]): (readonly T[])[] {
  if (some.length < 2) return [some]
  return some.flatMap((first, at) => orders(some.toSpliced(at, 1)).map((rest) => [first, ...rest]))
}

/** A sender's API: the paths that it was asked, and where it listens. It fails if there is nothing to answer. */
async function apiOf(answer: (path: string) => object | undefined) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const found = answer(path)
    response.writeHead(found ? 200 : 503, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? { error: { message: 'down' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo // a TCP server has one
  return { asked, port }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('examples/ordering'), () => {
  let server: PostgresServer
  let pool: pg.Pool

  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = new pg.Pool({ ...server.address, max: 5 })
    pool.on('error', () => {})
    pool.on('connect', (connection) => connection.on('error', () => {}))
    await ofStripe.migrate(pool)
    await ofGithub.migrate(pool)
  })

  afterAll(async () => {
    await pool?.end()
    await server?.remove()
  })

  const random = randomNumbers(inject('seed') ?? Date.now())
  const ROUNDS = 10
  const KILL =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' LIMIT 1"

  /** Delivers events in random order, some twice, three at once, each until it is answered 200. Connections end meanwhile. */
  async function deliver(sends: readonly (() => Promise<unknown>)[]): Promise<void> {
    const pending = sends.flatMap((send) => (random() < 0.4 ? [send, send] : [send]))
    const admin = new pg.Client(server.address)
    await admin.connect()
    let kills = 3
    const lane = async () => {
      for (;;) {
        const [send] = pending.splice(Math.floor(random() * pending.length), 1)
        if (send === undefined) return
        const sending = [send()]
        if (random() < 0.3 && kills > 0) {
          kills -= 1
          await admin.query(KILL)
        }
        while ((await sending.pop()) !== 200) sending.push(send())
      }
    }
    await Promise.all([lane(), lane(), lane()])
    await admin.end()
  }

  describe('examples/ordering/stripe.ts', () => {
    /** An endpoint, beside an API by which every subscription has this status, or which is down. */
    async function endpoint(status: () => string | undefined) {
      const { asked, port } = await apiOf((path) => {
        const now = status()
        return now === undefined
          ? undefined
          : { id: path.split('/').at(-1), object: 'subscription', status: now }
      })
      const api = new Stripe('sk_test_1', { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
      const handle = ofStripe.subscriptions(pool, api, SECRET)
      const send = async (body: object) => {
        const { headers, body: text } = await signAs(stripe, { secret: SECRET, body })
        const request = new Request('http://localhost/', {
          method: 'POST',
          headers: { ...headers },
          body: text,
        })
        return handle(request).then(({ status }) => status, String)
      }
      return { send, asked }
    }

    const event = (id: string, status: string, created: number) => ({
      id: `evt_${crypto.randomUUID()}`,
      object: 'event',
      type: 'customer.subscription.updated',
      created,
      data: { object: { id, object: 'subscription', status } },
    })

    const statusOf = async (id: string) =>
      (await pool.query('SELECT status FROM subscriptions WHERE id = $1', [id])).rows[0]?.status

    it('the program keeps the latest status in every order of its events, and asks Stripe only about two of one second', async () => {
      const { send, asked } = await endpoint(() => 'canceled')
      const changes = [
        ['trialing', 1],
        ['active', 2],
        ['past_due', 3],
        ['canceled', 3],
      ] as const
      for (const [number, order] of orders(changes).entries()) {
        const id = `sub_${number}`
        for (const [status, created] of order) expect(await send(event(id, status, created))).toBe(200)
        expect([await statusOf(id), asked.splice(0)], `${order}`).toEqual([
          'canceled',
          [`/v1/subscriptions/${id}`],
        ])
      }
    })

    it('the program keeps the latest status of events in any order, twice and at once, whose connections end', async () => {
      const { send } = await endpoint(() => 'canceled')
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = `sub_killed_${round}`
        const changes = ['trialing 1', 'active 2', 'past_due 2', 'active 3', 'unpaid 3', 'canceled 3']
        const events = changes.map((change) => {
          const [status = '', second] = change.split(' ')
          return event(id, status, Number(second))
        })
        await deliver(events.map((one) => () => send(one)))
        expect(await statusOf(id)).toBe('canceled')
      }
    })

    it('the program accepts an event of another type, and does nothing', async () => {
      const { send } = await endpoint(() => 'active')
      expect(await send({ ...event('sub_other', 'active', 1), type: 'invoice.paid' })).toBe(200)
      expect(await statusOf('sub_other')).toBeUndefined()
    })

    it('the program fails while Stripe cannot be asked, and keeps the latest status when Stripe sends the event again', async () => {
      let now: string | undefined
      const { send } = await endpoint(() => now)
      const [first, second] = [event('sub_down', 'active', 1), event('sub_down', 'canceled', 1)]
      expect(await send(first)).toBe(200)
      expect(await send(second)).not.toBe(200)
      now = 'canceled'
      expect(await send(second)).toBe(200)
      expect(await statusOf('sub_down')).toBe('canceled')
    })
  })

  describe('examples/ordering/github.ts', () => {
    /** An endpoint, beside an API that knows this pull request, or is down. */
    async function endpoint(latest: () => ofGithub.PullRequest | undefined) {
      const { asked, port } = await apiOf(latest)
      const api = `http://127.0.0.1:${port}`
      const handle = ofGithub.pullRequests(
        pool,
        (repository, number) => ofGithub.fetchPullRequest(repository, number, { api }),
        SECRET,
      )
      const send = async (pull_request: ofGithub.PullRequest) => {
        const body = { action: 'edited', pull_request, repository: { full_name: 'octocat/hello' } }
        const signed = await signAs(github, { secret: SECRET, body, eventType: 'pull_request' })
        const request = new Request('http://localhost/', {
          method: 'POST',
          headers: { ...signed.headers },
          body: signed.body,
        })
        return handle(request).then(({ status }) => status, String)
      }
      return { send, asked }
    }

    const pull = (id: number, title: string, second: number) => ({
      node_id: `PR_${id}`,
      number: 7,
      state: 'open',
      title,
      updated_at: `2026-11-27T00:00:0${second}Z`,
    })

    const titleOf = async (id: number) =>
      (await pool.query('SELECT title FROM pull_requests WHERE id = $1', [`PR_${id}`])).rows[0]?.title

    it('the program keeps the latest title in every order of its events, and asks GitHub only about two of one second', async () => {
      for (const [id, order] of orders(['a 1', 'b 2', 'c 3', 'd 3']).entries()) {
        const { send, asked } = await endpoint(() => pull(id, 'd', 3))
        for (const change of order) {
          const [title = '', second] = change.split(' ')
          expect(await send(pull(id, title, Number(second)))).toBe(200)
        }
        expect([await titleOf(id), asked], `${order}`).toEqual(['d', ['/repos/octocat/hello/pulls/7']])
      }
    })

    it('the program keeps the latest title of events in any order, twice and at once, whose connections end', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { send } = await endpoint(() => pull(200 + round, 'e', 3))
        const changes = ['a 1', 'b 2', 'c 2', 'd 3', 'e 3'].map((change) => change.split(' '))
        await deliver(
          changes.map(
            ([title = '', second]) =>
              () =>
                send(pull(200 + round, title, Number(second))),
          ),
        )
        expect(await titleOf(200 + round)).toBe('e')
      }
    })

    it('the program fails for an event without a version, and writes nothing', async () => {
      const { send } = await endpoint(() => pull(300, 'a', 1))
      for (const updated_at of [undefined, null, '', 'yesterday', 7.5, {}]) {
        const broken = { ...pull(300, 'a', 1), updated_at } as unknown as ofGithub.PullRequest // as a stranger could
        expect(await send(broken)).toMatch(/^ListenerConfigError: version: must be/)
      }
      expect(await titleOf(300)).toBeUndefined()
    })

    it('the program writes nothing older after it has fetched what is newer than its event', async () => {
      const { send } = await endpoint(() => pull(100, 'newest', 9))
      for (const [title, second] of [
        ['a', 1],
        ['b', 1],
        ['c', 5],
      ] as const)
        expect(await send(pull(100, title, second))).toBe(200)
      expect(await titleOf(100)).toBe('newest')
    })

    it('the program fails if the API is behind the events', async () => {
      const { send } = await endpoint(() => pull(101, 'stale', 1))
      expect(await send(pull(101, 'a', 5))).toBe(200)
      expect(await send(pull(101, 'b', 5))).not.toBe(200)
      expect(await titleOf(101)).toBe('a')
    })
  })
})
