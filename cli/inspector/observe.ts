import type { DeliveryReport } from '../delivery-report.ts'
import type { AppAnswer } from '../forward/app-answer.ts'
import type { AppOutcome, Inspected, WireHeaders } from './inspected.ts'

/** Larger bodies are kept up to here. */
const LARGEST_BODY = 4 * 2 ** 20
const LONGEST_PATH = 2000

/** A delivery that is over, as the inspector keeps it. */
export function observe(report: DeliveryReport, seq: number, replayOf: number | null): Inspected {
  const { line, request, delivery, verdict, app, receiveMs, decideMs } = report
  const { time, listener, eventId, reason, status } = line
  const body = delivery?.body ?? new Uint8Array()
  return {
    seq,
    time,
    listener,
    method: request.method ?? '',
    path: (request.url ?? '').slice(0, LONGEST_PATH),
    sourceIp: delivery?.sourceIp ?? request.socket.remoteAddress ?? null,
    headers: pairs(request.rawHeaders),
    body: Buffer.from(body.subarray(0, LARGEST_BODY)), // a copy: it may be a window on a larger buffer
    truncated: delivery === undefined || reason === 'body_too_large' || body.byteLength > LARGEST_BODY,
    verdict: line.verdict,
    reason,
    detail: (verdict?.ok === false && verdict.detail) || null,
    status,
    eventId,
    replayOf,
    ms: { receive: receiveMs ?? null, decide: decideMs ?? null, app: app?.ms ?? null, total: line.ms },
    app: appOutcome(app),
  }
}

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
