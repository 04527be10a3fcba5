import { LONGEST_URL } from '../../src/delivery.ts'
import type { LoggedVerdict } from '../../src/explain/index.ts'
import type { Delivery } from '../../src/index.ts'
import type { AppAnswer } from '../forward/app.ts'
import type { DeliveryLine, DeliveryReport } from '../listen/report.ts'
import { peerOf } from '../listen/server.ts'

/** Names and values in wire order, repetitions included. */
export type WireHeaders = readonly (readonly [name: string, value: string])[]

/** The first value of a header. Its name is in lower case. */
export function firstValue(headers: WireHeaders, name: string): string | undefined {
  return headers.find(([other]) => other.toLowerCase() === name)?.[1]
}

/** One delivery as the inspector keeps it. */
export interface Inspected extends Omit<DeliveryLine, 'ms'> {
  /** Counts deliveries from 1. */
  readonly seq: number
  readonly method: string
  /** The path and query of the request line, at most 8,193 characters. */
  readonly path: string
  readonly sourceIp: string | null
  readonly headers: WireHeaders
  readonly body: Uint8Array
  /** The length that arrived or was announced. `body` may be shorter. */
  readonly bytes: number
  /** Whether bytes are missing from `body`: not all were read, or there were too many to keep. */
  readonly truncated: boolean
  readonly detail: string | null
  /** The delivery that this one repeats, when the page sent it again. */
  readonly replayOf: number | null
  readonly ms: Milliseconds
  readonly app: AppOutcome | null
}

/** Null if a step was not reached. */
interface Milliseconds {
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
  /** Why there is no answer, and the fix. */
  readonly problem: string | null
}

export interface Observed {
  readonly seq: number
  /** Its approximate size in memory, in bytes. */
  readonly weight: number
  /** The event that it was accepted as. Null if it was not. */
  readonly acceptedAs: string | null
  inspect(): Inspected
}

/** A delivery of an earlier run. */
export function observedBefore(delivery: Inspected): Observed {
  const { seq, path, body, headers, app } = delivery
  return {
    seq,
    weight: weightOf(body, path.length + textLength(headers.flat()), app),
    acceptedAs: acceptedAs(delivery),
    inspect: () => delivery,
  }
}

function weightOf(body: Uint8Array, headLength: number, app: AppOutcome | null): number {
  const ofApp = app === null ? 0 : app.body.byteLength + textLength(app.headers.flat()) * 2
  return body.byteLength + headLength * 2 + ofApp + OVERHEAD_BYTES
}

function textLength(rawHeaders: readonly string[]): number {
  let length = 0
  for (const text of rawHeaders) length += text.length
  return length
}

const OVERHEAD_BYTES = 2048

/** The rest of a larger body is dropped. */
const MOST_KEPT_BYTES = 4 * 2 ** 20

/**
 * Keeps a finished delivery, and converts it only when somebody looks at it: few objects cost the garbage collector less.
 */
export function observe(report: DeliveryReport, seq: number, replayOf: number | null): Observed {
  const { line, request, delivery, verdict, receiveMs, decideMs } = report
  const { method = '', url = '', rawHeaders } = request
  const path = url.slice(0, LONGEST_URL + 1) // one more, so that no scheme takes it for whole
  const whole = delivery?.body ?? NOTHING
  const body = Buffer.from(whole.length > MOST_KEPT_BYTES ? whole.subarray(0, MOST_KEPT_BYTES) : whole) // a copy, because it may be a view of a larger buffer
  const truncated = delivery === undefined || line.reason === 'body_too_large' || body.length < whole.length
  const bytes = truncated
    ? Math.max(whole.length, Number(request.headers['content-length']) || 0)
    : whole.length
  const sourceIp = delivery?.sourceIp ?? peerOf(request) ?? null
  const ofListen = line.reason === 'internal' ? 'listen failed: see what it printed' : null
  const detail = (verdict?.ok === false && verdict.detail) || ofListen
  const app = appOutcome(report.app)
  const appMs = report.app?.ms ?? null
  // Must not capture request, delivery or verdict, or they would stay in memory.
  const inspect = (): Inspected => {
    const { ms: total, ...outcome } = line
    const headers = pairs(rawHeaders)
    const ms = { receive: receiveMs ?? null, decide: decideMs ?? null, app: appMs, total }
    const received = { method, path, sourceIp, headers, body, bytes, truncated }
    return { seq, ...outcome, ...received, detail, replayOf, ms, app }
  }
  const weight = weightOf(body, path.length + textLength(rawHeaders), app)
  return { seq, weight, acceptedAs: acceptedAs(line), inspect }
}

const acceptedAs = ({ verdict, eventId }: Pick<DeliveryLine, 'verdict' | 'eventId'>) =>
  verdict === 'accepted' ? eventId : null

const NOTHING = new Uint8Array()

function appOutcome(app: AppAnswer | undefined): AppOutcome | null {
  if (app === undefined) return null
  if (app.kind !== 'answered') {
    return { status: null, headers: [], body: NOTHING, truncated: false, problem: app.problem }
  }
  const { status, headers, body, isCut } = app
  return { status, headers: pairs(headers), body: Buffer.from(body), truncated: isCut, problem: null }
}

function pairs(rawHeaders: readonly string[]): WireHeaders {
  const headers: [string, string][] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? ''])
  }
  return headers
}

export function loggedVerdict({ verdict, reason, detail, status }: Inspected): LoggedVerdict {
  if (verdict === 'accepted') return { ok: true }
  if (verdict === 'handshake') return { ok: false, handshake: true }
  return { ok: false, reason, detail, status }
}

/** The delivery as an adapter would pass it on. */
export function asDelivery({ method, path, headers, body, sourceIp }: Inspected): Delivery {
  return {
    method,
    url: path,
    header(name) {
      const values = headers.flatMap(([other, value]) => (other.toLowerCase() === name ? [value] : []))
      return values.length > 1 ? values : values[0]
    },
    body,
    sourceIp: sourceIp ?? undefined,
  }
}
