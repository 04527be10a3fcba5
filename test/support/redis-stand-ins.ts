import type { Redis } from 'ioredis'
import type {
  CustomCommandClient,
  EvalOptionsClient,
  RedisCommand,
  SendClient,
} from '../../src/stores/redis/store.ts'

// Stand-ins for clients that not everyone can install. Each has the one method that the store uses, on a real
// connection. They test the call's shape and the store's use of it. test/suites/clients has the clients themselves.

export function glideStandIn(redis: Redis): CustomCommandClient {
  return { customCommand: ([name = '', ...args]) => redis.call(name, args) }
}

export function bunStandIn(redis: Redis): SendClient {
  return { send: (name, args) => redis.call(name, args) }
}

/** A user's own client, behind a function. */
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
