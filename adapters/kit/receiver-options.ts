import { type OptionTable, optional, positiveInteger, timerSeconds } from '../../src/lib/options.ts'

/** The options that all adapters share. The limits apply per `verifyWebhook()` or `webhookHandler()` call. */
export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Defaults to 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * Maximum number of bodies in flight: arriving, or waiting for a lookup, a key set or the store. Further deliveries get
   * 503. Defaults to 4096.
   */
  readonly maxConcurrentBodies?: number | undefined
  /**
   * Maximum total size of the bodies in flight, in bytes. Each counts with its Content-Length, or with the listener's
   * `maxBodyBytes` if it has none. Further deliveries get 503. Defaults to 268,435,456 (256 MB). Must be at least the
   * listener's `maxBodyBytes`.
   */
  readonly maxConcurrentBytes?: number | undefined
}

export const RECEIVER_OPTIONS: OptionTable<ReceiverOptions> = {
  bodyTimeoutSeconds: optional(timerSeconds),
  maxConcurrentBodies: optional(positiveInteger),
  maxConcurrentBytes: optional(positiveInteger),
}
