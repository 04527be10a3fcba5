import { describe, expect, it, onTestFinished } from 'vitest'
import { webhookHandler } from '../../adapters/web.ts'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { TARGETS } from '../support/servers.ts'
import { boxListener, inboxServer } from './support.ts'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the endpoint of an inbox'), () => {
  const { fresh, age } = inboxServer()

  const requestOf = async () => {
    const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":1}' })
    return { method: 'POST', path: '/', headers: Object.entries(headers), body: Buffer.from(body) }
  }

  it.each(Object.keys(TARGETS))(
    'on %s, the handler awaits put and answers 2xx: a job, and duplicates',
    async (name) => {
      const { box, table } = await fresh()
      const { listener } = boxListener(box)
      const put = async (event: Parameters<typeof box.put>[0]) => {
        await box.put(event)
        return 202
      }
      const server = await TARGETS[name]?.({ target: listener, handle: put })
      if (server === undefined) throw new Error(`no ${name}`)
      const bytes = toBytes(await requestOf())
      const send = async () => Number((await exchange(server.address, bytes))?.statusLine.split(' ')[1])
      expect([await send(), await send()]).toEqual([202, 409])
      await age(table, 1_000_000)
      expect(await send()).toBe(409)
      expect(await box.counts()).toMatchObject({ waiting: 1 })
      const worker = box.work(listener, () => {})
      onTestFinished(() => worker.stop())
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0, running: 0, done: 1 })
      expect(await send()).toBe(409)
    },
  )

  it.each(Object.keys(TARGETS))(
    'on %s, a put that fails answers 500, and the next delivery is put',
    async (name) => {
      const { box } = await fresh()
      const { listener } = boxListener(box)
      let fails = true
      const put = async (event: Parameters<typeof box.put>[0]) => {
        if (fails) throw new Error('before put')
        await box.put(event)
        return 200
      }
      const server = await TARGETS[name]?.({ target: listener, handle: put })
      if (server === undefined) throw new Error(`no ${name}`)
      const bytes = toBytes(await requestOf())
      const send = async () => Number((await exchange(server.address, bytes))?.statusLine.split(' ')[1])
      expect(await send()).toBe(500)
      fails = false
      await expect.poll(send).toBe(200) // Node's adapters release after the answer
      expect(await box.counts()).toMatchObject({ waiting: 1 })
    },
  )

  it.each(Object.keys(TARGETS))(
    'on %s, a 2xx without a put is a job all the same, told once',
    async (name) => {
      const { box } = await fresh()
      const told: unknown[] = []
      const { listener } = boxListener(box, { onError: (error) => told.push(error) })
      const put = async (event: Parameters<typeof box.put>[0]) => {
        await box.put({ ...event }).catch(() => {})
        return 200
      }
      const server = await TARGETS[name]?.({ target: listener, handle: put })
      if (server === undefined) throw new Error(`no ${name}`)
      const bytes = toBytes(await requestOf())
      const send = async () => Number((await exchange(server.address, bytes))?.statusLine.split(' ')[1])
      expect(await send()).toBe(200)
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 1, done: 0 })
      expect(await send()).toBe(409)
      expect(told).toMatchObject([{ message: expect.stringContaining('without put(event)') }])
    },
  )

  it('of a fetch handler, box.put is the whole', async () => {
    const { box } = await fresh()
    const handle = webhookHandler(boxListener(box).listener, (event) => box.put(event))
    const { headers, body } = await signHmac({ secret: SECRET, body: '{"a":1}' })
    const send = () =>
      handle(new Request('https://example.com/', { method: 'POST', headers: { ...headers }, body }))
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(409)
    expect(await box.counts()).toMatchObject({ waiting: 1 })
  })

  it('a stranger puts nothing: a wrong signature does not reach the table', async () => {
    const { box } = await fresh()
    const handle = webhookHandler(boxListener(box).listener, (event) => box.put(event))
    const { headers, body } = await signHmac({ secret: `${SECRET}x`, body: '{"a":1}' })
    const request = new Request('https://example.com/', { method: 'POST', headers: { ...headers }, body })
    expect((await handle(request)).status).toBe(401)
    expect(await box.counts()).toEqual({ waiting: 0, running: 0, held: 0, dead: 0, done: 0 })
  })
})
