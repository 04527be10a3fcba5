import { ListenerConfigError } from '../../../src/errors.ts'
import { isA } from '../../../src/lib/member-of.ts'
import type { ManagementApi } from '../../../src/management/api.ts'
import type { Client } from '../../../src/management/client.ts'
import { ManagementError } from '../../../src/management/errors.ts'
import type { MissedEvent } from '../../../src/management/missed.ts'
import { addressOf } from '../../../src/schemes/kit/signed-url.ts'
import { TimedOut } from '../../../src/sender/failure.ts'
import { bodyBytes } from '../../../src/signing/body.ts'
import { signAs } from '../../../src/signing/sign-as.ts'
import { told } from '../../../src/told.ts'
import { ask, whyUnanswered } from '../../lib/ask.ts'
import type { readSender } from '../../signing/signer.ts'

/** What became of an event. `isFinal`: all others would fail in the same way. */
export type Outcome = 'sent' | 'asked' | 'waiting' | { readonly why: string; readonly isFinal?: boolean }

export interface Send {
  /** How many are sent at a time, unless the user says so. */
  readonly atOnce: number
  readonly one: (event: MissedEvent) => Promise<Outcome>
}

/** Asks the sender to deliver an event again, as often as it allows. */
export function askAgain(client: Client, redelivery: NonNullable<ManagementApi['redelivery']>): Send {
  let asked = 0
  const one: Send['one'] = async ({ endpoint, id }) => {
    if (asked > 0) await client.pause(60_000 / redelivery.perMinute)
    asked += 1
    try {
      await client.call(redelivery, { hook: endpoint, id })
      return 'asked'
    } catch (error) {
      const isToken = isA(error, ManagementError) && error.code === 'ERR_API_TOKEN'
      return { why: told(error), isFinal: isToken || client.isOver }
    }
  }
  return { one, atOnce: 1 } // one after the other, or they would be too many a minute
}

const TIMEOUT_MS = 30_000

/** Signs an event as its sender does, and posts it. The endpoint claims its ID, so its bytes may be others than those of the delivery. */
export function postTo(
  target: URL,
  publicUrl: string,
  { scheme, keys }: Awaited<ReturnType<typeof readSender>>,
): Send {
  const { eventType, timestamp: time } = scheme.scheme
  const inHeader = eventType !== undefined && 'header' in eventType
  // The time of an event stays in its body.
  const youngSeconds = time?.of === 'event' ? time.toleranceSeconds : undefined
  const one: Send['one'] = async ({ event, type, item, time: happenedAt }) => {
    const timestamp = Math.floor(Date.now() / 1000)
    if (youngSeconds !== undefined && timestamp - happenedAt > youngSeconds)
      return {
        why: `your endpoint refuses what is older than ${youngSeconds} s: call recover() in your own code`,
      }
    const known = { eventId: event, ...(inHeader && { eventType: type }), publicUrl, timestamp }
    const signed = await signAs(scheme, { ...keys, ...known, body: item }).catch((error: unknown) => {
      if (isA(error, ListenerConfigError)) return error
      throw error
    })
    if (isA(signed, ListenerConfigError)) return { why: told(signed) }
    const address = new URL(addressOf(target.href, signed))
    try {
      const outgoing = { headers: signed.headers, body: bodyBytes(signed.body) }
      return outcomeOf((await ask(address, outgoing, { timeoutMs: TIMEOUT_MS })).status)
    } catch (error) {
      if (isA(error, TimedOut)) return 'waiting' // its handler may still run
      return { why: whyUnanswered(error, address).join(': '), isFinal: true }
    }
  }
  return { one, atOnce: 4 }
}

const LATER: readonly number[] = [408, 425, 429, 502, 503, 504]

/** What an answer of the endpoint says of this event, or of all. */
function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return 'sent'
  if (LATER.includes(status)) return 'waiting'
  const why = `your endpoint answers ${status}`
  if (status === 401) return { why: `${why}: give the secret of this endpoint`, isFinal: true }
  if (status === 403 || status === 404 || status < 400)
    return { why: `${why}: give the URL at which it can be reached from here as --to`, isFinal: true }
  return { why }
}
