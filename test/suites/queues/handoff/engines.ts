import { PostgresServer } from '../../../support/postgres-server.ts'
import { startRedis } from '../../../support/redis-server.ts'
import { startNats } from './nats-server.ts'
import type { EngineName } from './programs.ts'
import { startRestate } from './restate-server.ts'
import { startSqs } from './sqs-server.ts'

/** A server that belongs to one test. */
export interface Engine {
  /** The URL for the receiver. */
  readonly url: string
  /** The URL for the worker. */
  readonly workerUrl: string
  /** Ends it like a crash. */
  halt(): Promise<void>
  resume(): Promise<void>
  /** Stops it: connections stay open without answers. */
  pause(): void | Promise<void>
  unpause(): void
  remove(): Promise<void>
}

async function postgres(): Promise<Engine> {
  const server = await PostgresServer.start()
  return {
    url: server.url,
    workerUrl: server.url,
    halt: () => server.halt(),
    resume: () => server.resume(),
    pause: () => server.pause(),
    unpause: () => server.unpause(),
    remove: () => server.remove(),
  }
}

export async function redis(): Promise<Engine> {
  const server = await startRedis()
  const url = `redis://127.0.0.1:${server.port}`
  return {
    url,
    workerUrl: url,
    halt: () => server.kill(),
    resume: () => server.start(),
    pause: () => server.pause(),
    unpause: () => server.resume(),
    remove: () => server.close(),
  }
}

export const ENGINES: { readonly [Name in EngineName]: () => Promise<Engine> } = {
  BullMQ: redis,
  'pg-boss': postgres,
  'graphile-worker': postgres,
  'NATS JetStream': startNats,
  'SQS FIFO': startSqs,
  Restate: startRestate,
  DBOS: postgres,
}
