import type { Clock } from '../lib/clock.ts'
import {
  aFunction,
  type OptionTable,
  optional,
  positiveSeconds,
  timerSeconds,
  withMethods,
} from '../lib/options.ts'
import type { WaitUntil } from '../lib/single-flight.ts'
import type { Fetch } from './fetch-bytes.ts'

/** How to fetch public keys, and how long to keep them. */
export interface RemoteOptions {
  /** Timeout for one fetch, body included, in seconds. Defaults to 5. */
  readonly timeoutSeconds?: number | undefined
  /** How long the last good response is used while the host is down, in seconds. Defaults to 86,400 (24 hours). */
  readonly maxStaleSeconds?: number | undefined
  /** Defaults to `globalThis.fetch`. */
  readonly fetch?: Fetch | undefined
  /** Measures ages, in milliseconds. Defaults to `performance`, which is monotonic. */
  readonly clock?: Clock | undefined
  /**
   * Keeps a fetch alive after its request ends: `waitUntil` of `cloudflare:workers`, or your platform's own. Without it,
   * Workers cancel the fetch with the request that started it, and other requests may wait for it in vain.
   */
  readonly waitUntil?: WaitUntil | undefined
}

/** The default of `timeoutSeconds`. */
export const TIMEOUT_SECONDS = 5

export const REMOTE_OPTIONS: OptionTable<RemoteOptions> = {
  timeoutSeconds: /* @__PURE__ */ optional(timerSeconds),
  maxStaleSeconds: /* @__PURE__ */ optional(positiveSeconds),
  fetch: /* @__PURE__ */ optional(aFunction),
  clock: /* @__PURE__ */ optional(/* @__PURE__ */ withMethods(['now'])),
  waitUntil: /* @__PURE__ */ optional(aFunction),
}
