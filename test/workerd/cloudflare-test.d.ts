/** The part of @cloudflare/vitest-plugin that the tests use. The plugin is not installed where types are checked. */
declare module 'cloudflare:test' {
  import type {
    D1Database,
    DurableObjectNamespace,
    DurableObjectState,
    DurableObjectStub,
  } from '@cloudflare/workers-types'
  import type { EventStoreObject } from '../../src/stores/durable-object/store.ts'

  export const env: { readonly DB: D1Database; readonly EVENTS: DurableObjectNamespace<EventStoreObject> }
  export function runInDurableObject<Result>(
    stub: DurableObjectStub<EventStoreObject>,
    run: (instance: object, state: DurableObjectState) => Result | Promise<Result>,
  ): Promise<Result>
  /** Runs an alarm at once if one was due. Resolves to whether one was. */
  export function runDurableObjectAlarm(stub: DurableObjectStub<EventStoreObject>): Promise<boolean>
}

declare module 'cloudflare:workers' {
  export function waitUntil(work: Promise<unknown>): void

  export class WorkerEntrypoint {}

  /** The bindings of served/serve-handoff.mjs. */
  export const env: {
    readonly DOOMED: string
    readonly MOMENT: string
    readonly KILL: { fetch(url: string): Promise<unknown> }
    readonly QUEUE: { send(message: unknown): Promise<unknown> }
  }
}
