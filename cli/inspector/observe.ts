import type { AppAnswer } from '../forward/app-answer.ts'
import type { DeliveryReport } from '../listen/report.ts'
import {
  type AppOutcome,
  type Inspected,
  type Observed,
  textLength,
  type WireHeaders,
  weightOf,
} from './inspected.ts'

/** Larger bodies are cut here. */
const LARGEST_BODY = 4 * 2 ** 20
const LONGEST_PATH = 2000

/**
 * Keeps a finished delivery. It is converted only when somebody looks at it. Until then it is few objects, because the garbage
 * collector copies each of them.
 */
export function observe(report: DeliveryReport, seq: number, replayOf: number | null): Observed {
  const { line, request, delivery, verdict, receiveMs, decideMs } = report
  const { method = '', url = '', rawHeaders } = request
  const whole = delivery?.body ?? NOTHING
  const body = Buffer.from(whole.length > LARGEST_BODY ? whole.subarray(0, LARGEST_BODY) : whole) // copies, because it may be a view of a larger buffer
  const truncated = delivery === undefined || line.reason === 'body_too_large' || body.length < whole.length
  const sourceIp = delivery?.sourceIp ?? request.socket.remoteAddress ?? null
  const detail = (verdict?.ok === false && verdict.detail) || null
  const app = appOutcome(report.app)
  const appMs = report.app?.ms ?? null
  // Must not capture request, delivery or verdict, or they would stay in memory.
  const inspect = (): Inspected => ({
    seq,
    time: line.time,
    listener: line.listener,
    method,
    path: url.slice(0, LONGEST_PATH),
    sourceIp,
    headers: pairs(rawHeaders),
    ...{ body, truncated, verdict: line.verdict, reason: line.reason, detail },
    ...{ status: line.status, eventId: line.eventId, replayOf },
    ms: { receive: receiveMs ?? null, decide: decideMs ?? null, app: appMs, total: line.ms },
    app,
  })
  return { seq, weight: weightOf(body, textLength(rawHeaders), app), inspect }
}

const NOTHING = new Uint8Array()

function appOutcome(app: AppAnswer | undefined): AppOutcome | null {
  if (app === undefined) return null
  if (app.kind !== 'answered') {
    return { status: null, headers: [], body: new Uint8Array(), truncated: false, problem: app.problem }
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
