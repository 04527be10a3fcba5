// Replaces `hookgate/stores/durable-object` in a receiver that dies at one moment of one event. The store sees every
// moment, because the claim comes before the handler and the commit after it.
import { env } from 'cloudflare:workers'
import type { EventKey, EventStore } from '../../../src/index.ts'
import * as real from '../../../src/stores/durable-object/store.ts'

export { EventStoreObject } from '../../../src/stores/durable-object/store.ts'

/** Short, so that the sender's next attempt need not wait for a minute. */
const LEASE_MS = 1000

const { DOOMED, MOMENT, KILL } = env

async function dieAt(point: string, { eventId }: EventKey): Promise<void> {
  if (eventId === DOOMED && point === MOMENT) await KILL.fetch('http://kill')
}

export function durableObjectStore(namespace: Parameters<typeof real.durableObjectStore>[0]): EventStore {
  const store = real.durableObjectStore(namespace)
  return {
    async claim(key, owner) {
      const answer = await store.claim(key, owner, LEASE_MS)
      if (answer === 'acquired') await dieAt('before the enqueue', key)
      return answer
    },
    async commit(key, owner, retentionMs) {
      await dieAt('between enqueue and commit', key)
      const answer = await store.commit(key, owner, retentionMs)
      await dieAt('after the commit', key)
      return answer
    },
    release: (key, owner) => store.release(key, owner),
    renew: async (key, owner) => (await store.renew?.(key, owner, LEASE_MS)) ?? false,
  }
}
