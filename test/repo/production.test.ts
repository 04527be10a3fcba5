import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stripe } from '../../src/schemes/stripe.ts'
import { redisStore } from '../../src/stores/redis/store.ts'
import { signAs } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { keepAlive } from '../support/keep-alive.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../support/redis-server.ts'

const root = new URL('../../', import.meta.url)
const EXAMPLE = fileURLToPath(new URL('dist/examples/production.js', root))

const signEvent = (id: string = crypto.randomUUID()) =>
  signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })

/** Runs the program of docs/operating.md, and reads its output line by line. */
async function start({ port: redisPort }: Pick<RedisServer, 'port'>) {
  const env = {
    ...process.env,
    PORT: '0',
    STRIPE_WEBHOOK_SECRET: SECRET,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
  }
  const program = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void program.kill('SIGKILL'))
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]()
  const said = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`it ended without saying ${pattern}`)
      const found = pattern.exec(value)
      if (found) return found
    }
  }
  const port = Number((await said(/"port":(\d+)/))[1])
  return { program, port, said, url: `http://127.0.0.1:${port}` }
}

it('docs/operating.md shows examples/production.ts to the letter', () => {
  const page = readFileSync(new URL('docs/operating.md', root), 'utf8')
  expect(page).toContain(readFileSync(new URL('examples/production.ts', root), 'utf8').trim())
})

describe.skipIf(WHY_NO_REDIS)(onRedis('examples/production.ts'), () => {
  it('the program logs a refusal, and counts its verdicts', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const { url, said } = await start(redis)
    const request = await signEvent()
    const send = async (headers: object = {}) => {
      const { status } = await fetch(`${url}/webhooks/stripe`, {
        ...request,
        headers: { ...request.headers, ...headers },
      })
      return status
    }
    expect(await send({ 'stripe-signature': 'x' })).toBe(401)
    const [line] = await said(/.*signature_mismatch.*/)
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      listenerId: 'stripe',
      sourceIp: '127.0.0.1',
    })
    expect([await send(), await send()]).toEqual([200, 200]) // the second is a duplicate, and does not run
    expect(await (await fetch(`${url}/metrics`)).text()).toBe(
      'webhooks_total{outcome="signature_mismatch"} 1\n' +
        'webhooks_total{outcome="accepted"} 1\nwebhooks_total{outcome="event_duplicate"} 1\n',
    )
  })

  it('the program answers a delivery during which it is stopped, commits its event, and ends', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const { program, port, url } = await start(redis)
    const isListening = () =>
      fetch(`${url}/metrics`).then(
        () => true,
        () => false,
      )
    const ended = once(program, 'exit')
    const eventId = crypto.randomUUID()
    const request = await signEvent(eventId)
    const bytes = toBytes({
      method: 'POST',
      path: '/webhooks/stripe',
      headers: Object.entries(request.headers),
      body: Buffer.from(request.body),
    })
    const connection = new RawConnection({ port, host: '127.0.0.1' })
    await connection.write(bytes.subarray(0, -1))
    expect(await isListening()).toBe(true)
    program.kill('SIGTERM')
    while (await isListening());
    await connection.write(bytes.subarray(-1))
    const reply = await connection.reply()
    expect(reply?.statusLine).toBe('HTTP/1.1 200 OK')
    // A busy sender or a proxy keeps its connection open, which would keep the process alive.
    expect(reply?.headers).toContainEqual(['connection', 'close'])
    expect(await ended).toEqual([0, null])

    const client = new Redis(redis.port)
    onTestFinished(() => client.disconnect())
    const key = { listenerId: 'stripe', eventId }
    expect(await redisStore(client).claim(key, 'another', 1000)).toBe('done')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stopped under six keep-alive connections, the program answers all they send, resets none, and ends (%s)',
    async (signal) => {
      const redis = await startRedis()
      onTestFinished(() => redis.close())
      const { program, url } = await start(redis)
      const load = keepAlive(new URL(`${url}/webhooks/stripe`), signEvent)
      await expect.poll(() => load.answered()).toBeGreaterThan(30)
      const ended = once(program, 'exit')
      load.count()
      program.kill(signal)
      expect(await load.ended).toEqual({ 200: expect.any(Number) })
      expect(await ended).toEqual([0, null])
    },
  )

  it('stopped, ends in order even if Redis closes the connection instead of answering QUIT', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.close())
    const front = createServer((socket) => {
      const behind = connect(redis.port, '127.0.0.1').on('error', () => {})
      behind.pipe(socket).on('error', () => {})
      socket.on('data', (bytes) => {
        if (!/quit/i.test(bytes.toString('latin1'))) return void behind.write(bytes)
        socket.destroy()
        behind.destroy()
      })
    })
    onTestFinished(() => void front.close())
    await once(front.listen(0, '127.0.0.1'), 'listening')
    const { program, said, url } = await start(front.address() as AddressInfo) // it listens on TCP
    const signed = await signEvent()
    expect((await fetch(`${url}/webhooks/stripe`, signed)).status).toBe(200) // so it is connected
    const ended = once(program, 'exit')
    program.kill('SIGTERM')
    expect(JSON.parse((await said(/.*"redis".*/))[0])).toMatchObject({ redis: 'Connection is closed.' })
    expect(await ended).toEqual([0, null])
  })
})
