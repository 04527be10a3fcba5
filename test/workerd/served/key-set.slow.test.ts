import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newKey } from '../../support/keys.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { startWorkerd, type WorkerdServer } from './workerd-server.ts'

const JWKS = JSON.stringify({ keys: [newKey('ES256', 'k1').publicKey] })

/** A key host that answers when it is told to. `/asked` answers when somebody has asked for the keys. */
async function slowHost(path: string) {
  const waiting: ServerResponse[] = []
  let tellAsked = () => {}
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve
  })
  let requests = 0
  const server = createServer((request, response) => {
    if (request.url === '/asked') return void asked.then(() => response.end())
    requests += 1
    waiting.push(response)
    tellAsked()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/${path}`,
    requests: () => requests,
    answer() {
      for (const response of waiting.splice(0)) response.end(JWKS)
    },
  }
}

describe.skipIf(WHY_NO_WORKERD)(
  inWorkerd("remoteKeySet in workerd, where no request may wait for another's I/O"),
  () => {
    let folder: string
    let workerd: WorkerdServer
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hookgate-workerd-'))
      workerd = await startWorkerd(folder)
    }, 60_000)
    afterAll(async () => {
      await workerd.kill()
      await rm(folder, { recursive: true })
    })

    const ask = async (host: { readonly url: string }, extra = '') => {
      const response = await fetch(`${workerd.url}/keys?host=${host.url}${extra}`)
      return `${response.status} ${await response.text()}`
    }
    const isAsked = (host: { requests(): number }, times: number) =>
      expect.poll(() => host.requests()).toBe(times)

    it('concurrent requests share one fetch, and all are answered', async () => {
      const host = await slowHost('shared')
      const answers = Promise.all(Array.from({ length: 20 }, () => ask(host)))
      await isAsked(host, 1)
      await pause(300) // until the others wait too
      host.answer()
      expect(await answers).toEqual(Array(20).fill('200 a key'))
      expect(host.requests()).toBe(1)
    })

    it('an attempt that ended with its request is awaited only until its time limit', async () => {
      const host = await slowHost('lost')
      expect(await ask(host, '&leave')).toBe('200 left')
      await isAsked(host, 1)
      expect(await ask(host)).toMatch(/^503 KeySetError: .* has not answered yet/)
      const next = ask(host)
      await isAsked(host, 2)
      host.answer()
      expect(await next).toBe('200 a key')
      expect(await ask(host)).toBe('200 a key')
      expect(host.requests()).toBe(2)
    })

    it('an attempt with waitUntil outlives the request that began it', async () => {
      const host = await slowHost('kept')
      expect(await ask(host, '&leave&waitUntil')).toBe('200 left')
      await isAsked(host, 1)
      const waiting = ask(host)
      await pause(300)
      host.answer()
      expect(await waiting).toBe('200 a key')
      expect(host.requests()).toBe(1)
    })
  },
)
