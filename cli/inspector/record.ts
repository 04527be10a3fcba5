import type { CheckOutcome } from '../../src/explain/index.ts'
import { toJsonLine } from '../command-line/output.ts'
import type { AppOutcome, Inspected, WireHeaders } from './inspected.ts'

const VERSION = 1
const VERDICTS: readonly unknown[] = ['accepted', 'handshake', 'refused', 'undecided']

/** One line of NDJSON, version 1: everything known about a delivery, with its exact bytes. */
export function toRecord(delivery: Inspected, checks: readonly CheckOutcome[]): string {
  const { body, app, ...rest } = delivery
  return toJsonLine({
    v: VERSION,
    ...rest,
    checks: checks.map(({ name, ok }) => ({ name, ok })),
    bodyBase64: base64(body),
    app: app && { ...app, body: undefined, bodyBase64: base64(app.body) },
  })
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Parses a line. Undefined if it is not a record of version 1. */
export function parseRecord(line: string): Inspected | undefined {
  const record = parsed(line)
  if (record?.v !== VERSION || !VERDICTS.includes(record.verdict)) return undefined
  const { seq, time, method, path, headers, bodyBase64, ms } = record
  if (!isCount(seq) || !areHeaders(headers) || typeof bodyBase64 !== 'string') return undefined
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) return undefined
  if (typeof method !== 'string' || typeof path !== 'string') return undefined
  const { receive, decide, app, total } = members(ms)
  return {
    seq,
    time,
    method,
    path,
    headers,
    body: Buffer.from(bodyBase64, 'base64'),
    truncated: record.truncated === true,
    verdict: record.verdict as Inspected['verdict'], // one of VERDICTS
    listener: text(record.listener),
    sourceIp: text(record.sourceIp),
    reason: text(record.reason),
    detail: text(record.detail),
    eventId: text(record.eventId),
    status: count(record.status),
    replayOf: count(record.replayOf),
    ms: { receive: number(receive), decide: number(decide), app: number(app), total: number(total) ?? 0 },
    app: appOf(record.app),
  }
}

type Members = { readonly [member: string]: unknown }

function parsed(line: string): Members | undefined {
  try {
    return members(JSON.parse(line))
  } catch {
    return undefined
  }
}

const members = (value: unknown): Members => Object(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const count = (value: unknown) => (isCount(value) ? value : null)
const number = (value: unknown) => (Number.isFinite(value) ? Number(value) : null)
const text = (value: unknown) => (typeof value === 'string' ? value : null)

function areHeaders(value: unknown): value is WireHeaders {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
  return Array.isArray(value) && value.every(isPair)
}

function appOf(value: unknown): AppOutcome | null {
  const { status, headers, bodyBase64, truncated, problem } = members(value)
  if (!areHeaders(headers) || typeof bodyBase64 !== 'string') return null
  return {
    status: count(status),
    headers,
    body: Buffer.from(bodyBase64, 'base64'),
    truncated: truncated === true,
    problem: text(problem),
  }
}
