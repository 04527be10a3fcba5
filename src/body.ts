import { type Json, parseJson } from './lib/json.ts'
import type { Wanted } from './lib/json-members.ts'
import { type Failure, fail } from './reason.ts'

/** A parsed body, or the reason why it does not parse. */
export type Reading = { readonly payload: Json } | Failure<'body_not_json' | 'body_malformed'>

/** What may be read of a body before its sender is known. */
export interface EarlyLimits {
  readonly maxFields: number
  /** The only members that are read of JSON. Undefined: all of it. */
  readonly wanted?: Wanted | undefined
}

/** Reads bodies of one content type. Omit `limits` for an authenticated body. */
export type ReadBody = (body: Uint8Array, limits?: EarlyLimits) => Reading

/** Reads any JSON text in UTF-8. */
export function readJson(body: Uint8Array): Reading {
  const parsed = parseJson(body)
  return 'problem' in parsed ? fail('body_not_json', parsed.problem) : { payload: parsed.value }
}
