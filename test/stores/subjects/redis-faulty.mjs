import { eventKeyText } from 'hookgate'
import { Redis } from 'ioredis'
import { open as openRedis } from './redis.mjs'

/** The fault of each broken store, which the harness must notice. */
const FAULTS = {
  looksFirst: (_, client) => ({
    async claim({ eventId }, owner) {
      if (await client.get(eventId)) return 'busy'
      await client.set(eventId, owner)
      return 'acquired'
    },
  }),
  forgetsCommits: (store) => ({
    async commit(key, owner) {
      await store.release(key, owner)
      return 'committed'
    },
  }),
  doneAtClaim: (store) => ({
    async claim(key, owner, leaseMs) {
      const answer = await store.claim(key, owner, leaseMs)
      if (answer === 'acquired') await store.commit(key, owner, 604_800_000)
      return answer
    },
    commit: async () => 'committed',
  }),
  ignoresLeases: () => ({ claim: async () => 'acquired', renew: async () => true }),
  neverRenews: () => ({ renew: async () => true }),
  renewsLate: (_, client) => ({
    async renew(key, owner, leaseMs) {
      await client.set(`hookgate:${eventKeyText(key)}`, `p:${owner}`, 'PX', leaseMs)
      return true
    },
  }),
}

/** Config: `{ port, fault }`. */
export async function open({ port, fault }) {
  const subject = await openRedis({ port })
  const client = new Redis({ port, host: '127.0.0.1' })
  const close = () => Promise.all([subject.close(), client.quit()])
  return { ...subject, store: { ...subject.store, ...FAULTS[fault](subject.store, client) }, close }
}
