import { decodeUtf8 } from '../lib/bytes.ts'
import { textOf } from '../lib/member-of.ts'

/**
 * What to do after an attempt. `done`: nothing. `again`: retry. `never`: no retry of this event will succeed, so alert
 * somebody. `gone`: disable the endpoint, and alert somebody.
 */
export type Outcome = 'done' | 'again' | 'never' | 'gone'

/** What a response means for the next attempt. */
export interface Judgement {
  /** Whether to retry, give up, or disable the endpoint. */
  readonly outcome: Outcome
  /** The receiver's `code`, if it uses hookgate: `event_duplicate`, `event_in_progress`, `unauthorized`, … */
  readonly code?: string
  /** With `again`: the minimum wait before the next attempt, in milliseconds. Between 1 second and 24 hours. */
  readonly retryAfterMs?: number
  /** The cause, if the status alone does not tell it. */
  readonly reason?: 'redirected' | 'message_aborted' | 'endpoint_disabled'
}

/** The headers of a response, from `fetch` or `node:http`. */
export type AnswerHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

/** The 4xx statuses that are temporary by definition, like every 5xx. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429])

const LONGEST_BODY = 4096

/**
 * Judges a response, for use with your own HTTP client. A status below 200 or from 500 is `again`. Pass the status 0 if
 * there was no response.
 *
 * Honours a receiver's `webhook-delivery: disable` with any status, and `abort-message` with any status but 2xx.
 *
 * @example
 * ```ts
 * const answer = await fetch(url, request)
 * const { outcome, retryAfterMs } = judge(answer.status, answer.headers, await answer.text())
 * ```
 *
 * @param body the response's body; only the first 4,096 characters or bytes are read
 * @param clock the clock for a `Retry-After` date. Defaults to `Date`
 */
export function judge(
  status: number,
  headers: AnswerHeaders = {},
  body: string | Uint8Array = '',
  clock: { now(): number } = Date,
): Judgement {
  const code = problemCode(body)
  const delayMs = retryAfterMs(headerOf(headers, 'retry-after'), clock.now())
  const instruction = headerOf(headers, 'webhook-delivery')?.trim().toLowerCase()
  const seen = code === undefined ? {} : { code }
  if (instruction === 'disable') return { outcome: 'gone', ...seen, reason: 'endpoint_disabled' }
  if (status >= 200 && status < 300) return { outcome: 'done', ...seen }
  if (instruction === 'abort-message') return { outcome: 'never', ...seen, reason: 'message_aborted' }
  if (status === 410) return { outcome: 'gone', ...seen }
  if (status === 409 && (code === 'event_duplicate' || delayMs === undefined))
    return { outcome: 'done', ...seen }
  if (isTransient(status, code)) {
    return { outcome: 'again', ...seen, ...(delayMs === undefined ? {} : { retryAfterMs: delayMs }) }
  }
  return { outcome: 'never', ...seen, ...(status < 400 ? { reason: 'redirected' } : {}) }
}

function isTransient(status: number, code: string | undefined): boolean {
  if (status < 200 || status >= 500 || status === 409 || TRANSIENT.has(status)) return true
  return status === 400 && code === 'body_incomplete'
}

/** The `code` of a problem+json body. Untrusted, so only texts in the form of hookgate's own codes pass. */
export function problemCode(body: string | Uint8Array): string | undefined {
  if (body.length === 0 || body.length > LONGEST_BODY) return undefined
  const text = typeof body === 'string' ? body : decodeUtf8(body)
  try {
    const code = textOf(JSON.parse(text ?? ''), 'code')
    return code !== undefined && /^[a-z0-9_]{1,64}$/.test(code) ? code : undefined
  } catch {
    return undefined
  }
}

function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  if (isWebHeaders(headers)) return headers.get(name) ?? undefined
  const key = Object.keys(headers).find((key) => key.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  return typeof value === 'string' ? value : value?.[0]
}

function isWebHeaders(headers: AnswerHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

const SHORTEST_MS = 1000
/** 24 hours. */
export const LONGEST_MS = 86_400_000

/** IMF-fixdate and the two older forms of RFC 9110 5.6.7; the length is checked before Date parses it. */
const LONGEST_DATE = 40

/** Parses `Retry-After` (seconds or a date) into milliseconds from now, clamped to between 1 second and 24 hours. */
function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.length > LONGEST_DATE) return undefined
  const ms = /^[0-9]{1,15}$/.test(value) ? Number(value) * 1000 : dateOf(value) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, SHORTEST_MS), LONGEST_MS)
}

/** NaN unless the text starts with a day's name, as all three forms do. `Date` would parse "1.5" as a date. */
function dateOf(value: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN
}
