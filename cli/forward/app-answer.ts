/** How the app behind `--forward-to` answered an event. */
export type AppAnswer = AppReply | AppSilence

/** The app answered in full, or with as much as is read of an answer. */
export interface AppReply {
  readonly kind: 'answered'
  readonly status: number
  /** Names and values in turn, as they arrived: those of `rawHeaders`. */
  readonly headers: readonly string[]
  /** At most the first 64 KB. */
  readonly body: Uint8Array
  /** Whether there was more. */
  readonly isCut: boolean
  /** From the start of the request to the end of the answer. */
  readonly ms: number
}

/** The app did not answer. */
export interface AppSilence {
  /** `unreachable`: no connection was opened, so the app saw nothing. `unknown`: it may have done the work. */
  readonly kind: 'unreachable' | 'unknown'
  /** Why, for the operator. */
  readonly problem: string
  readonly ms: number
}
