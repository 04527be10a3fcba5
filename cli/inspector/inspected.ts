import type { DeliveryLine } from '../listen/delivery-line.ts'

/** Names and values in wire order, repetitions included. */
export type WireHeaders = readonly (readonly [name: string, value: string])[]

/** One delivery as the inspector keeps it. */
export interface Inspected {
  /** Counts deliveries from 1. */
  readonly seq: number
  /** When it arrived, ISO 8601. */
  readonly time: string
  readonly listener: string | null
  readonly method: string
  /** The path and query of the request line, at most 2,000 characters. */
  readonly path: string
  readonly sourceIp: string | null
  readonly headers: WireHeaders
  readonly body: Uint8Array
  /** Whether bytes are missing from `body`: not all were read, or there were too many to keep. */
  readonly truncated: boolean
  readonly verdict: DeliveryLine['verdict']
  readonly reason: string | null
  readonly detail: string | null
  readonly status: number | null
  readonly eventId: string | null
  /** The delivery that this one repeats, when the page sent it again. */
  readonly replayOf: number | null
  readonly ms: Milliseconds
  readonly app: AppOutcome | null
}

/** Null if a step was not reached. */
export interface Milliseconds {
  /** Until the body was complete. */
  readonly receive: number | null
  /** The checks and the claim. */
  readonly decide: number | null
  /** The app behind `--forward-to`. */
  readonly app: number | null
  /** Until the answer was sent. */
  readonly total: number
}

/** The answer of the app behind `--forward-to`. */
export interface AppOutcome {
  /** Null when the app gave no answer. */
  readonly status: number | null
  readonly headers: WireHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
  /** Why there is no answer. */
  readonly problem: string | null
}

/** A delivery that is converted only when somebody looks at it. */
export interface Observed {
  readonly seq: number
  /** The memory that it takes, in bytes, roughly. */
  readonly weight: number
  inspect(): Inspected
}

/** A delivery of an earlier run. */
export function observedBefore(delivery: Inspected): Observed {
  const { seq, body, headers, app } = delivery
  return { seq, weight: weightOf(body, textLength(headers.flat()), app), inspect: () => delivery }
}

export function weightOf(body: Uint8Array, headersLength: number, app: AppOutcome | null): number {
  const ofApp = app === null ? 0 : app.body.byteLength + textLength(app.headers.flat()) * 2
  return body.byteLength + headersLength * 2 + ofApp + OVERHEAD_BYTES
}

/** Of header names and values, in characters. */
export function textLength(rawHeaders: readonly string[]): number {
  let length = 0
  for (const text of rawHeaders) length += text.length
  return length
}

const OVERHEAD_BYTES = 2048
