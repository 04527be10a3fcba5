import type { MaybePromise } from './lib/maybe-promise.ts'

/** What zod, valibot, arktype and others share: the part of Standard Schema (standardschema.dev) that is used here. */
export interface PayloadSchema<Output = unknown> {
  /** Where every such library puts its validator. */
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
