import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { onStop } from '../../src/stop/index.ts'
import { signHmac } from '../../src/testing/index.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { keepAlive } from '../support/keep-alive.ts'
import { Log } from '../support/log.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'

const PROGRAM = fileURLToPath(new URL('stopping.mjs', import.meta.url))
const HOSTS = ['express', 'fastify', 'hono', 'http', 'http2'] as const

interface Options {
  readonly drainMs?: number
  readonly hangs?: boolean
}

/** Runs the program on a host, and reads what it tells. */
async function start(host: (typeof HOSTS)[number], options: Options = {}) {
  const given = JSON.stringify({ host, secret: SECRET, ...options })
  const program = fork(PROGRAM, [given], { stdio: ['ignore', 'inherit', 'pipe', 'ipc'] })
  onTestFinished(() => void program.kill('SIGKILL'))
  const told = new Log<string>()
  program.on('message', (message: object) => Object.keys(message).forEach((key) => void told.add(key)))
  let stderr = ''
  program.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [{ port }] = (await once(program, 'message')) as [{ port: number }]
  return { program, port, told, ended: once(program, 'exit'), stderr: () => stderr }
}

async function signed(body = '{}') {
  const request = await signHmac({ secret: SECRET, body, eventId: crypto.randomUUID() })
  return { headers: { ...request.headers }, body: request.body }
}

async function openRequest(port: number) {
  const { headers, body } = await signed()
  const bytes = toBytes({
    method: 'POST',
    path: '/hook',
    headers: Object.entries(headers),
    body: Buffer.from(body),
  })
  return { connection: new RawConnection({ port, host: '127.0.0.1' }), bytes }
}

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('error', () => resolve(true))
      .once('connect', () => {
        socket.destroy()
        resolve(false)
      })
  })

describe.each(HOSTS)('a program on %s that stops in order', (host) => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers all that six keep-alive connections send, resets none, and ends (%s)',
    async (signal) => {
      const { program, port, ended } = await start(host)
      const load = keepAlive(new URL(`${host === 'http2' ? 'h2c' : 'http'}://127.0.0.1:${port}/hook`), signed)
      await expect.poll(() => load.answered()).toBeGreaterThan(30)
      load.count()
      program.kill(signal)
      const { 200: ok = 0, ...others } = await load.ended
      expect(others).toEqual({})
      expect(ok).toBeGreaterThan(0)
      expect(await ended).toEqual([0, null])
    },
  )
})

describe('onStop', () => {
  it('a request in flight is answered, as the last one of its connection, after new connections are refused', async () => {
    const { program, port, told, ended } = await start('http')
    const { connection, bytes } = await openRequest(port)
    await connection.write(bytes.subarray(0, -1))
    program.kill('SIGTERM')
    await expect.poll(() => isRefused(port)).toBe(true)
    expect(told.entries).not.toContain('ended')
    await connection.write(bytes.subarray(-1))
    const reply = await connection.reply()
    expect(reply?.status).toBe(200)
    expect(reply?.headers).toContainEqual(['connection', 'close'])
    expect(await ended).toEqual([0, null])
    expect(told.entries).toContain('ended')
  })

  it('connections that have never sent a byte, or none for a while, keep nothing open', async () => {
    const { program, port, ended } = await start('http')
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    const { connection, bytes } = await openRequest(port)
    await connection.write(bytes)
    expect((await connection.reply())?.status).toBe(200)
    program.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    silent.destroy()
  })

  it('cuts what is still in flight after drainMs, says how much, and goes on', async () => {
    const { program, port, told, ended, stderr } = await start('http', { hangs: true, drainMs: 50 })
    const { connection, bytes } = await openRequest(port)
    await connection.write(bytes)
    await expect.poll(() => told.entries).toContain('handling')
    program.kill('SIGTERM')
    await ended
    expect(told.entries).toContain('ended')
    expect(stderr()).toBe('hookgate: stopped with 1 requests unanswered after 50 ms\n')
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a second signal ends the process at once (%s)', async (signal, code) => {
    const { program, port, told, ended } = await start('http', { hangs: true })
    const { connection, bytes } = await openRequest(port)
    await connection.write(bytes)
    await expect.poll(() => told.entries).toContain('handling')
    program.kill('SIGTERM')
    await expect.poll(() => isRefused(port)).toBe(true)
    await expect
      .poll(() => {
        program.kill(signal)
        return program.exitCode
      })
      .toBe(code)
    await ended
    expect(told.entries).not.toContain('ended')
  })

  // Retried, because a busy machine may not deliver two signals within half a second.
  it('a Ctrl-C that npm passes on twice counts once', { retry: 2 }, async () => {
    const { program, port, ended } = await start('http')
    const { connection, bytes } = await openRequest(port)
    await connection.write(bytes.subarray(0, -1))
    program.kill('SIGINT')
    program.kill('SIGINT')
    await expect.poll(() => isRefused(port)).toBe(true)
    await connection.write(bytes.subarray(-1))
    expect((await connection.reply())?.status).toBe(200)
    expect(await ended).toEqual([0, null])
  })

  it('what is no server is a configuration error that names it', () => {
    const notServers: unknown[] = [undefined, () => {}, { close() {} }, [undefined], 3000]
    for (const given of notServers) {
      expect(() => onStop(given as never, () => {})).toThrow(
        'servers: must be what `app.listen()` or `serve()` returned; in Fastify, `app.server`',
      )
    }
    expect(() => onStop([], undefined as never)).toThrow('end: must be a function')
    expect(() => onStop([], () => {}, { drainMs: 0 })).toThrow('drainMs: must be milliseconds')
  })
})
