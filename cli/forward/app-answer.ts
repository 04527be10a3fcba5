/** How the app behind `--forward-to` answered an event. */
export type AppAnswer = AppReply | AppSilence

/** The app's answer, whole or cut at the limit. */
export interface AppReply {
  readonly kind: 'answered'
  readonly status: number
  /** Names and values alternately, in the form of `rawHeaders`. */
  readonly headers: readonly string[]
  /** At most the first 64 KB. */
  readonly body: Uint8Array
  /** Whether the body was longer. */
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
