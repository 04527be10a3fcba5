import type { HandedOffEvent } from '../../../../src/handoff/index.ts'
import type { Listener } from '../../../../src/index.ts'

interface Stops {
  stop(): Promise<unknown>
}

/** The exports of every file in examples/handoff. */
export interface Program {
  startReceiver(
    listener: Listener,
    url: string,
  ): Promise<Stops & { fetch(request: Request): Promise<Response> }>
  startWorker(url: string, work: (event: HandedOffEvent) => Promise<void>): Promise<Stops>
}

export const PROGRAMS = {
  BullMQ: () => import('../../../../examples/handoff/bullmq.ts'),
  'pg-boss': () => import('../../../../examples/handoff/pg-boss.ts'),
  'graphile-worker': () => import('../../../../examples/handoff/graphile-worker.ts'),
  'NATS JetStream': () => import('../../../../examples/handoff/nats.ts'),
  'SQS FIFO': () => import('../../../../examples/handoff/sqs-fifo.ts'),
  Restate: () => import('../../../../examples/handoff/restate.ts'),
  DBOS: () => import('../../../../examples/handoff/dbos.ts'),
} satisfies { readonly [engine: string]: () => Promise<Program> }

export type EngineName = keyof typeof PROGRAMS
export const ENGINE_NAMES = Object.keys(PROGRAMS) as readonly EngineName[] // exactly its own keys
