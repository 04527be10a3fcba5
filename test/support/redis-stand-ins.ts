import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Redis } from 'ioredis'
import type {
  CustomCommandClient,
  EvalListsClient,
  EvalOptionsClient,
  RedisCommand,
  SendClient,
} from '../../stores/redis.ts'

// Clients that are not installed here: the method that the store uses of each, over a real connection. They prove the
// call's shape and the store's use of it; not those clients themselves.

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

/** Upstash's REST form: a command as a JSON array, `{ result }` or `{ error }` back, and a client that speaks it. */
export async function upstashStandIn(
  redis: Redis,
): Promise<{ client: EvalListsClient; close(): Promise<unknown> }> {
  const front = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [name = '', ...args]: string[] = JSON.parse(Buffer.concat(chunks).toString())
    const reply = await redis.call(name, args).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    )
    response.writeHead('error' in reply ? 400 : 200).end(JSON.stringify(reply))
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  // It listens on TCP, so the address is no path.
  const { port } = front.address() as AddressInfo
  const client: EvalListsClient = {
    async eval(script, keys, args) {
      const body = JSON.stringify(['EVAL', script, keys.length, ...keys, ...args])
      const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
      const reply: { result?: unknown; error?: string } = JSON.parse(await response.text())
      if (reply.error !== undefined) throw new Error(reply.error)
      return reply.result
    },
  }
  const close = () => {
    front.closeAllConnections()
    return once(front.close(), 'close')
  }
  return { client, close }
}
