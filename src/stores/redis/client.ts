import { ListenerConfigError } from '../../errors.ts'
import { isBytes } from '../../lib/bytes.ts'
import { hasMethod } from '../../lib/options.ts'
import { refuseOtherKinds } from '../kinds.ts'

/** ioredis 5 and 6 (single and Cluster), iovalkey. */
export interface CallClient {
  call(command: string, ...args: string[]): Promise<unknown>
}

/** Valkey GLIDE. */
export interface CustomCommandClient {
  customCommand(args: string[]): Promise<unknown>
}

/** node-redis 5 and 6 (client, pool and cluster). */
export interface EvalOptionsClient {
  sendCommand(...args: never[]): unknown
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Bun's own client. */
export interface SendClient {
  send(command: string, args: string[]): Promise<unknown>
}

/** Upstash, over REST. */
export interface EvalListsClient {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>
}

/**
 * Runs one command, e.g. `['EVAL', script, '1', key, …]`. `key` determines the cluster node.
 *
 * @example
 * ```ts
 * const command: RedisCommand = (args) => client.sendCommand([...args])
 * ```
 */
export type RedisCommand = (args: readonly string[], key: string) => Promise<unknown>

/** The clients that `redisStore` accepts, or a function that sends a command. */
export type RedisClient =
  | CallClient
  | CustomCommandClient
  | EvalOptionsClient
  | SendClient
  | EvalListsClient
  | RedisCommand

/** Runs a script on the node that holds its keys. Resolves with the client's form of the reply. */
export type Evaluate = (script: string, keys: string[], args: string[]) => Promise<unknown>

/** @throws ListenerConfigError for an unknown client. */
export function evaluatorOf(client: RedisClient): Evaluate {
  refuseOtherKinds(client, 'client', 'Redis')
  if (typeof client === 'function') {
    return (script, keys, args) => client(evalWords(script, keys, args), keys[0] ?? '')
  }
  // The order matters: ioredis also has `sendCommand`, and node-redis and Upstash have different `eval` signatures.
  if (has<CallClient>(client, 'call')) {
    return (script, keys, args) => client.call('EVAL', ...evalWords(script, keys, args).slice(1))
  }
  if (has<CustomCommandClient>(client, 'customCommand')) {
    return (script, keys, args) => client.customCommand(evalWords(script, keys, args))
  }
  if (has<EvalOptionsClient>(client, 'sendCommand') && has<EvalOptionsClient>(client, 'eval')) {
    return (script, keys, args) => client.eval(script, { keys, arguments: args })
  }
  if (has<SendClient>(client, 'send')) {
    return (script, keys, args) => client.send('EVAL', evalWords(script, keys, args).slice(1))
  }
  if (has<EvalListsClient>(client, 'eval')) return (script, keys, args) => client.eval(script, keys, args)
  throw new ListenerConfigError(
    'client',
    'redisStore knows ioredis, iovalkey, node-redis, Valkey GLIDE, Bun and Upstash clients; ' +
      'for any other, give it a function (args, key) => Promise that runs one command',
  )
}

function evalWords(script: string, keys: string[], args: string[]): string[] {
  return ['EVAL', script, `${keys.length}`, ...keys, ...args]
}

function has<Client>(client: unknown, method: keyof Client & string): client is Client {
  return hasMethod(client, method)
}

const decoder = new TextDecoder()

/** Decodes a reply: clients return strings or bytes. Undefined for anything else. */
export function replyText(reply: unknown): string | undefined {
  if (isBytes(reply)) return decoder.decode(reply)
  return typeof reply === 'string' ? reply : undefined
}
