import type { MaybePromise } from './lib/maybe-promise.ts'

/**
 * A schema of zod, valibot, arktype or another library that implements Standard Schema (standardschema.dev). Only the part
 * that hookgate uses.
 *
 * @example
 * ```ts
 * import { z } from 'zod'
 *
 * const payload: PayloadSchema<{ total: number }> = z.object({ total: z.number() })
 * ```
 */
export interface PayloadSchema<Output = unknown> {
  /** The property that Standard Schema defines. */
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => MaybePromise<SchemaResult<Output>>
  }
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}
