import type { MaybePromise } from '../../src/lib/maybe-promise.ts'
import type { Turn } from './turn.ts'

/** A sender that may leave before it has its answer. */
export interface Leaving {
  /** Calls `tell` when the sender has left or its response is over, where the platform says so. It may call twice. */
  whenGone(tell: () => void): void
}

/** A request before its body is read, as its adapter sees it. */
export interface Incoming extends Leaving {
  readonly method: string
  readonly url?: string | undefined
  readonly header: (name: string) => string | readonly string[] | undefined
  /** Where the adapter sees the connection, and that carries one request at a time. */
  readonly turn?: Turn | undefined
  /** The Content-Length, in bytes. Undefined when there is none that counts. */
  readonly announced: number | undefined
  /** The exact bytes, or the first `limit` + 1. Rejects with BodyIncompleteError when they do not all come in time. */
  readBody(limit: number, timeoutMs: number): MaybePromise<Uint8Array>
}
