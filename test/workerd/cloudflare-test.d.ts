/** The part of what @cloudflare/vitest-plugin provides that is used here: it is not installed where types are checked. */
declare module 'cloudflare:test' {
  import type {
    D1Database,
    DurableObjectNamespace,
    DurableObjectState,
    DurableObjectStub,
  } from '@cloudflare/workers-types'
  import type { EventStoreObject } from '../../stores/durable-object/durable-object-store.ts'

  export const env: { readonly DB: D1Database; readonly EVENTS: DurableObjectNamespace<EventStoreObject> }
  export function runInDurableObject<Result>(
    stub: DurableObjectStub<EventStoreObject>,
    run: (instance: object, state: DurableObjectState) => Result | Promise<Result>,
  ): Promise<Result>
  /** True when an alarm was due to come: it is run at once. */
  export function runDurableObjectAlarm(stub: DurableObjectStub<EventStoreObject>): Promise<boolean>
}

declare module 'cloudflare:workers' {
  export function waitUntil(work: Promise<unknown>): void

  export class WorkerEntrypoint {}

  /** What served/serve-handoff.mjs binds. */
  export const env: {
    readonly DOOMED: string
    readonly MOMENT: string
    readonly KILL: { fetch(url: string): Promise<unknown> }
    readonly QUEUE: { send(message: unknown): Promise<unknown> }
  }
}
