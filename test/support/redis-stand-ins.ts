import type { Redis } from 'ioredis'
import type {
  CustomCommandClient,
  EvalOptionsClient,
  RedisCommand,
  SendClient,
} from '../../stores/redis/redis-store.ts'

// Clients that not everyone can install: the method that the store uses of each, over a real connection. They prove the
// call's shape and the store's use of it; those clients themselves are in test/clients.

export function glideStandIn(redis: Redis): CustomCommandClient {
  return { customCommand: ([name = '', ...args]) => redis.call(name, args) }
}

export function bunStandIn(redis: Redis): SendClient {
  return { send: (name, args) => redis.call(name, args) }
}

/** Any client of a user's own, behind a function. */
export function functionOver(redis: Redis): RedisCommand {
  return ([name = '', ...args]) => redis.call(name, args)
}

/** Replies as bytes, like ioredis' callBuffer, or node-redis with a type mapping. */
export function bytesOver(redis: Redis): EvalOptionsClient {
  return {
    sendCommand: () => undefined,
    eval: (script, { keys, arguments: args }) =>
      redis.callBuffer('EVAL', script, `${keys.length}`, ...keys, ...args),
  }
}
