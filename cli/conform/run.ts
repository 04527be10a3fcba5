import http from 'node:http'
import https from 'node:https'
import { exchange, TimedOut } from '../../sender/exchange.ts'
import { failureOf } from '../../sender/failure.ts'
import { judge } from '../../sender/judge.ts'
import type { Case } from './case.ts'

/** How a case went. */
export interface Finding {
  readonly name: string
  readonly rule: string
  /** `skipped` when it would have said nothing: no event was accepted before. */
  readonly result: 'ok' | 'broken' | 'skipped'
  readonly expected: string
  /** Undefined when it was skipped. */
  readonly answered?: string
  /** The ID of an event that the receiver accepted. */
  readonly acceptedEventId?: string
}

/** Time for one answer. */
const TIMEOUT_MS = 10_000

/** Of one's own: the URL is that of the person at the terminal, and may be on this machine. */
const AGENTS = { http: new http.Agent({ keepAlive: false }), https: new https.Agent({ keepAlive: false }) }

/** Reported if the receiver gave no status to judge. */
interface Answered {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly said: string
}

/** Sends the cases one after the other: some are about an event that an earlier one sent. */
export async function* findings(url: URL, cases: readonly Case[]): AsyncGenerator<Finding> {
  const known = new Set(cases.map(({ code }) => code))
  let isAnyAccepted = false
  for (const each of cases) {
    const { name, rule, statuses, code, needsAccepted, make } = each
    const expected = [statuses[0], code === 'unauthorized' ? '' : code].filter(Boolean).join(' ')
    if (needsAccepted && !isAnyAccepted) {
      yield { name, rule, result: 'skipped', expected }
      continue
    }
    const delivery = await make()
    const answer = await ask(url, delivery)
    const isAccepted = answer.status !== undefined && answer.status >= 200 && answer.status < 300
    isAnyAccepted ||= isAccepted
    const eventId = delivery.headers['webhook-event-id']
    yield {
      name,
      rule,
      result: isRight(each, answer, known) ? 'ok' : 'broken',
      expected,
      answered: answer.said,
      ...(isAccepted && typeof eventId === 'string' ? { acceptedEventId: eventId.toLowerCase() } : {}),
    }
  }
}

/** A receiver need not say a code, and may have its own. If it says one of hookgate's, it has to be the right one. */
function isRight(
  { statuses, code }: Case,
  answer: Answered,
  known: ReadonlySet<string | undefined>,
): boolean {
  if (answer.status === undefined || !statuses.includes(answer.status)) return false
  const isOther = answer.code !== code && answer.code !== undefined && known.has(answer.code)
  return code === undefined || !isOther || answer.status !== statuses[0]
}

async function ask(url: URL, delivery: Awaited<ReturnType<Case['make']>>): Promise<Answered> {
  try {
    const { status, headers, body } = await exchange(url, delivery, AGENTS, TIMEOUT_MS)
    const { code } = judge(status, headers, body)
    return { status, code, said: [status, code].filter(Boolean).join(' ') }
  } catch (error) {
    const failure = error instanceof TimedOut ? 'timed_out' : failureOf(error)
    return { status: undefined, code: undefined, said: `not answered (${failure})` }
  }
}
