import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Redis as Valkey, Cluster as ValkeyCluster } from 'iovalkey'
import { createClient, createClientPool, createCluster } from 'redis'
import {
  createClient as createClient5,
  createClientPool as createClientPool5,
  createCluster as createCluster5,
} from 'redis5'
import type { RedisClient } from '../../src/stores/redis/store.ts'

/** A connected client of a server or a cluster, and a function that closes it. */
export interface Connected {
  readonly client: RedisClient
  close(): unknown
}

type Connect = (port: number) => Connected | Promise<Connected>
type ConnectCluster = (ports: readonly number[]) => Connected | Promise<Connected>

/** Reconnects within a second. The defaults wait up to 2 s (5 s in ioredis 6). */
const RECONNECT_MS = 100

const ioredisOptions = (port: number) => ({ port, host: '127.0.0.1', retryStrategy: () => RECONNECT_MS })
const nodeRedisOptions = (port: number) => ({
  socket: { port, host: '127.0.0.1', reconnectStrategy: () => RECONNECT_MS },
})
const nodes = (ports: readonly number[]) => ports.map((port) => ({ port, host: '127.0.0.1' }))
const rootNodes = (ports: readonly number[]) => ({
  rootNodes: ports.map((port) => ({ socket: { port, host: '127.0.0.1' } })),
})

/** Keeps ioredis from printing its errors. The tests read them from the store. */
function quiet<Client extends { on(event: 'error', listener: () => void): unknown }>(client: Client): Client {
  client.on('error', () => {})
  return client
}

export const SINGLE_CLIENTS = {
  'ioredis 6': (port) => {
    const client = quiet(new Redis(ioredisOptions(port)))
    return { client, close: () => client.disconnect() }
  },
  'ioredis 5': (port) => {
    const client = quiet(new Redis5(ioredisOptions(port)))
    return { client, close: () => client.disconnect() }
  },
  iovalkey: (port) => {
    const client = quiet(new Valkey(ioredisOptions(port)))
    return { client, close: () => client.disconnect() }
  },
  'node-redis 6': async (port) => {
    const client = await quiet(createClient(nodeRedisOptions(port))).connect()
    return { client, close: () => client.destroy() }
  },
  'node-redis 6 pool': async (port) => {
    const client = quiet(createClientPool(nodeRedisOptions(port)))
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  'node-redis 5': async (port) => {
    const client = await quiet(createClient5(nodeRedisOptions(port))).connect()
    return { client, close: () => client.destroy() }
  },
  'node-redis 5 pool': async (port) => {
    const client = quiet(createClientPool5(nodeRedisOptions(port)))
    await client.connect()
    return { client, close: () => client.destroy() }
  },
} satisfies { readonly [name: string]: Connect }

export const CLUSTER_CLIENTS = {
  'ioredis 6': (ports) => {
    const client = quiet(new Cluster(nodes(ports)))
    return { client, close: () => client.disconnect() }
  },
  'ioredis 5': (ports) => {
    const client = quiet(new Cluster5(nodes(ports)))
    return { client, close: () => client.disconnect() }
  },
  iovalkey: (ports) => {
    const client = quiet(new ValkeyCluster(nodes(ports)))
    return { client, close: () => client.disconnect() }
  },
  'node-redis 6': async (ports) => {
    const client = quiet(createCluster(rootNodes(ports)))
    await client.connect()
    return { client, close: () => client.destroy() }
  },
  'node-redis 5': async (ports) => {
    const client = quiet(createCluster5(rootNodes(ports)))
    await client.connect()
    return { client, close: () => client.destroy() }
  },
} satisfies { readonly [name: string]: ConnectCluster }
