import { type OptionTable, optional, positiveInteger, timerSeconds } from '../../src/lib/options.ts'

/** The options that all adapters share. The limits apply per `verifyWebhook()` or `webhookHandler()` call. */
export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Defaults to 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * Maximum number of bodies in flight: arriving, or waiting for a lookup, a key set, the store or a payload schema. For one
   * more, the incomplete body with the lowest rate since its first byte is cut: 503, and its connection is closed. If all are
   * complete, the newest gets the 503. Defaults to 4096.
   */
  readonly maxConcurrentBodies?: number | undefined
  /**
   * Maximum total size of the bodies in flight, in bytes that have arrived. Content-Length does not count. When there are more,
   * the slowest is cut, as above. Defaults to 268,435,456 (256 MB). Must be at least the listener's `maxBodyBytes`.
   */
  readonly maxConcurrentBytes?: number | undefined
}

export const RECEIVER_OPTIONS: OptionTable<ReceiverOptions> = {
  bodyTimeoutSeconds: optional(timerSeconds),
  maxConcurrentBodies: optional(positiveInteger),
  maxConcurrentBytes: optional(positiveInteger),
}
