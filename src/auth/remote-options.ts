import {
  aFunction,
  type OptionTable,
  optional,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from '../lib/options.ts'
import type { WaitUntil } from '../lib/shared-attempt.ts'
import type { Clock } from '../listener-options.ts'
import type { Fetch } from './fetch-bytes.ts'

/** How to fetch public keys, and how long to keep them. */
export interface RemoteOptions {
  /** How long one attempt may take, body included, in seconds. Default 5. */
  readonly timeoutSeconds?: number | undefined
  /** How long the last good answer is used while the host is down, in seconds. Default 86,400, which is 24 hours. */
  readonly maxStaleSeconds?: number | undefined
  /** Default `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Measures ages, in milliseconds. Default `performance`, which no one can set back. */
  readonly clock?: Clock | undefined
  /**
   * Called with each attempt, which then outlives the request that began it: `waitUntil` of `cloudflare:workers`, or of
   * your platform. Without it, on Workers, an attempt ends with its request, and others may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** The default of `timeoutSeconds`. */
export const TIMEOUT_SECONDS = 5

/** Their rules. */
export const REMOTE_OPTIONS: OptionTable<RemoteOptions> = {
  timeoutSeconds: /* @__PURE__ */ optional(timerSeconds),
  maxStaleSeconds: /* @__PURE__ */ optional(positiveSeconds),
  fetch: /* @__PURE__ */ optional(aFunction),
  clock: /* @__PURE__ */ optional(/* @__PURE__ */ withMethods('now')),
  waitUntil: /* @__PURE__ */ optional(aFunction),
}
