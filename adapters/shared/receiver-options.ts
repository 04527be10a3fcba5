import { type OptionTable, optional, positiveInteger, timerSeconds } from '../../src/lib/options.ts'

/** The options that all adapters share. The limits count for each call that they are given to. */
export interface ReceiverOptions {
  /** How long a body may take to arrive, in seconds. Default 10. */
  readonly bodyTimeoutSeconds?: number | undefined
  /**
   * How many bodies may be in flight at once: arriving, or waiting for their verdict (a lookup, a key set, the store).
   * Others are answered 503. Default 4096.
   */
  readonly maxConcurrentBodies?: number | undefined
  /**
   * How many bytes these bodies may have together. Each counts its Content-Length from the start, or the listener's
   * `maxBodyBytes` when it announces none. Others are answered 503. Default 268,435,456, which is 256 MB; at least the
   * listener's `maxBodyBytes`.
   */
  readonly maxConcurrentBytes?: number | undefined
}

export const RECEIVER_OPTIONS: OptionTable<ReceiverOptions> = {
  bodyTimeoutSeconds: optional(timerSeconds),
  maxConcurrentBodies: optional(positiveInteger),
  maxConcurrentBytes: optional(positiveInteger),
}
