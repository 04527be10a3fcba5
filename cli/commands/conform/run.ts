import { addressOf } from '../../../src/schemes/kit/signed-url.ts'
import type { Outgoing } from '../../../src/sender/exchange.ts'
import { failureOf } from '../../../src/sender/failure.ts'
import { problemCode } from '../../../src/sender/judge.ts'
import { RefusedError } from '../../command-line/exit.ts'
import { ask, whyUnanswered } from '../../lib/ask.ts'
import type { Case } from './case.ts'

export interface CaseResult {
  readonly name: string
  readonly rule: string
  /** `skipped` if it needs an accepted event, and there is none. */
  readonly result: 'ok' | 'broken' | 'skipped'
  readonly expected: string
  /** Undefined if skipped. */
  readonly answered?: string
  /** The ID of an event that the receiver accepted. */
  readonly acceptedEventId?: string
}

const TIMEOUT_MS = 10_000

/** `status` is undefined if no answer came. */
interface CaseAnswer {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly said: string
}

/** The ID of a delivery's event, as the receiver knows it. */
type IdOf = (sent: Outgoing) => string | undefined

export const ownIdOf: IdOf = ({ headers }) => {
  const id = headers['webhook-event-id']
  return typeof id === 'string' ? id.toLowerCase() : undefined
}

/**
 * Sends the cases in order: some repeat the event of an earlier one.
 *
 * @throws RefusedError if nobody answers the first.
 */
export async function* resultsOf(
  url: URL,
  cases: readonly Case[],
  idOf: IdOf = ownIdOf,
): AsyncGenerator<CaseResult> {
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
    const answer = await answerTo(url, delivery, each === cases[0])
    const isAccepted = answer.status !== undefined && answer.status >= 200 && answer.status < 300
    isAnyAccepted ||= isAccepted
    const eventId = isAccepted ? idOf(delivery) : undefined
    yield {
      name,
      rule,
      result: isRight(each, answer, known) ? 'ok' : 'broken',
      expected,
      answered: answer.said,
      ...(eventId === undefined ? {} : { acceptedEventId: eventId }),
    }
  }
}

/** A receiver may send no code, or its own. If it sends one of hookgate's codes, it must be the right one. */
function isRight(
  { statuses, code }: Case,
  answer: CaseAnswer,
  known: ReadonlySet<string | undefined>,
): boolean {
  if (answer.status === undefined || !statuses.includes(answer.status)) return false
  const isOther = answer.code !== code && answer.code !== undefined && known.has(answer.code)
  return code === undefined || !isOther || answer.status !== statuses[0]
}

async function answerTo(url: URL, delivery: Outgoing, isFirst: boolean): Promise<CaseAnswer> {
  try {
    const { status, bytes } = await ask(new URL(addressOf(url.href, delivery)), delivery, {
      timeoutMs: TIMEOUT_MS,
      mayBreakOff: true,
    })
    const code = problemCode(bytes)
    return { status, code, said: [status, code].filter(Boolean).join(' ') }
  } catch (error) {
    if (isFirst) throw new RefusedError(whyUnanswered(error, url).join(': '))
    return { status: undefined, code: undefined, said: `not answered (${failureOf(error)})` }
  }
}
