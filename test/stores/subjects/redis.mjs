import { redisStore } from 'hookgate/stores/redis'
import { Redis } from 'ioredis'

/** Config: `{ port, options }`. An effect is a count on the same server. */
export async function open({ port, options }) {
  const client = new Redis({ port, host: '127.0.0.1' })
  return {
    store: redisStore(client, options),
    effect: (eventId) => client.incr(`effect:${eventId}`),
    effects: async (eventId) => (await client.get(`effect:${eventId}`)) ?? 0,
    close: () => client.quit(),
  }
}
