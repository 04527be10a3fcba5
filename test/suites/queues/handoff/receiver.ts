// The receiver of one program, in its own process. It kills itself at a given moment of its first event.

import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Redis } from 'ioredis'
import pg from 'pg'
import { defineListener, type EventStore, hmac } from '../../../../src/index.ts'
import { postgresStore } from '../../../../src/stores/postgres/store.ts'
import { redisStore } from '../../../../src/stores/redis/store.ts'
import { PROGRAMS } from './programs.ts'

const [engine = '', url = '', storeUrl = '', secret = '', moment = 'never'] = process.argv.slice(2)

async function openStore(): Promise<EventStore> {
  if (storeUrl.startsWith('redis:')) return redisStore(new Redis(storeUrl))
  const store = postgresStore(new pg.Pool({ connectionString: storeUrl }))
  await store.migrate()
  return store
}

/** Never resolves if this is the moment. */
async function dieAt(point: string): Promise<void> {
  if (point !== moment) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

/** The store sees every moment, because the claim comes before the handler and the commit after it. */
function killing(store: EventStore): EventStore {
  return {
    async claim(key, owner, leaseMs) {
      const answer = await store.claim(key, owner, leaseMs)
      if (answer === 'acquired') await dieAt('before the enqueue')
      return answer
    },
    async commit(key, owner, retentionMs) {
      await dieAt('between enqueue and commit')
      const answer = await store.commit(key, owner, retentionMs)
      await dieAt('after the commit')
      return answer
    },
    release: (key, owner) => store.release(key, owner),
  }
}

const listener = defineListener({
  id: 'orders',
  auth: hmac({ secrets: secret }),
  store: killing(await openStore()),
  leaseSeconds: 1,
})
const program = Object.entries(PROGRAMS).find(([name]) => name === engine)?.[1]
if (program === undefined) throw new Error(`no program for ${engine}`)
const { fetch } = await (await program()).startReceiver(listener, url)
const server = createServer(getRequestListener((request) => fetch(request)))
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
