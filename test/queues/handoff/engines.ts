import { PostgresServer } from '../../support/postgres-server.ts'
import { startRedis } from '../../support/redis-server.ts'
import { startNats } from './nats-server.ts'
import type { EngineName } from './programs.ts'
import { startSqs } from './sqs-server.ts'

/** A server of a test's own. */
export interface Engine {
  /** What the program is given. */
  readonly url: string
  /** Ends it as a crash would. */
  halt(): Promise<void>
  resume(): Promise<void>
  /** Connections stay open, and nothing is answered. */
  pause(): void | Promise<void>
  unpause(): void
  remove(): Promise<void>
}

async function postgres(): Promise<Engine> {
  const server = await PostgresServer.start()
  return {
    url: server.url,
    halt: () => server.halt(),
    resume: () => server.resume(),
    pause: () => server.pause(),
    unpause: () => server.unpause(),
    remove: () => server.remove(),
  }
}

export async function redis(): Promise<Engine> {
  const server = await startRedis()
  return {
    url: `redis://127.0.0.1:${server.port}`,
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
}
