import type { JwtAlgorithm } from '../../../../src/crypto/algorithms.ts'
import type { Json, Verdict, VerdictContext, WebhookEvent } from '../../../../src/index.ts'
import type { SchemeOptions } from '../../../../src/schemes/kit/index.ts'
import type { SchemeName } from './schemes.ts'

/** The row's settings, sent to the worker before each request. */
export interface State {
  /** Counts the rows. Each row is a new endpoint. */
  readonly row: number
  /** The row's clock, in milliseconds. */
  readonly now: number
  readonly recipe: Recipe
  /** Options of `defineListener` that are plain values. */
  readonly settings: object
  readonly hasSchema: boolean
  /** Whether the row's store can renew a lease. */
  readonly renews: boolean
  /** Whether the row's store holds what the handler wrote. */
  readonly isTransactional: boolean
  /** Options of the adapter. */
  readonly options: object
}

/** How a listener's authenticator was made, so that a worker can make the same. */
export interface Recipe {
  readonly secret?: string
  /** One of the other senders. */
  readonly sender?: { readonly name: SchemeName; readonly options: SchemeOptions }
  readonly names: { readonly subject: string; readonly audience: string }
  readonly keys: readonly object[]
}

export interface HandleAnswer {
  readonly status: number
  /** The handler's own calls on the event. */
  readonly acts: readonly ('commit' | 'release')[]
}

/** The questions that the worker asks the row, and their arguments. */
export interface Questions {
  readonly state: object
  readonly lookup: { readonly path: string }
  readonly store: {
    readonly verb: 'claim' | 'commit' | 'release' | 'renew'
    readonly args: readonly unknown[]
  }
  readonly find: { readonly keyId: string; readonly algorithm: JwtAlgorithm }
  readonly validate: { readonly value: unknown }
  readonly verdict: { readonly verdict: Verdict<Json>; readonly context: VerdictContext }
  readonly failure: { readonly error: Named; readonly context: VerdictContext }
  readonly fail: Named
  /** Without the two verbs, which the worker keeps. */
  readonly handle: Omit<WebhookEvent, 'commit' | 'release'>
}

export interface Named {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly retryAfterSeconds?: number
}
