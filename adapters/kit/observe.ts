import { acceptedEvent } from '../../src/accepted-event.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { isListener } from '../../src/is-listener.ts'
import { encodeUtf8 } from '../../src/lib/bytes.ts'
import { kindOf } from '../../src/lib/options.ts'
import type { Listener } from '../../src/listener.ts'
import { report, traceVerify } from '../../src/report.ts'
import type { Verdict } from '../../src/verdict.ts'
import { Verification } from '../../src/verification.ts'
import { check } from '../../src/verify.ts'
import type { Incoming } from './incoming.ts'
import { addressOf } from './receiver.ts'
import { codeOf, reportFailure, warnOfFailure, warnOfRefusal } from './warn.ts'

/** The exact bytes that your own check has read, or the text that it has made of them. */
export type ExactBody = Uint8Array | ArrayBuffer | string

/**
 * Judges a delivery beside your own check, which stays in charge. Runs every check but the claim, and tells the listener's hooks, with
 * `enforced: false`. Reads nothing from the request but its method, URL, headers and address, and changes nothing.
 *
 * @param incoming Makes the `Incoming`. What it throws is told to `onError`.
 * @returns The verdict. Undefined if there is none: the key host is away, or the setup has a mistake. Never rejects.
 */
export async function observe(
  listener: Listener<unknown>,
  incoming: () => Incoming,
  body: ExactBody,
): Promise<Verdict<unknown> | undefined> {
  try {
    if (!isListener(listener)) throw new ListenerConfigError('listener', 'must come from defineListener()')
    const request = incoming()
    const { method, url, header, joinsHeaders } = request
    const sourceIp = addressOf(request.sourceIp(listener))
    const delivery = { method, url, header, joinsHeaders, sourceIp, body: bytesOf(body) }
    const verification = new Verification(delivery, listener)
    verification.isEnforced = false
    const verdict = await traceVerify(verification, checkWithoutClaim)
    if (verdict.reason) warnOfRefusal(verification, verdict, 'would refuse a delivery')
    return verdict
  } catch (error) {
    tell(listener, error)
    return undefined
  }
}

function tell(listener: Listener<unknown>, error: unknown): void {
  const code = codeOf(error)
  if (!isListener(listener)) warnOfFailure(NO_LISTENER, code, error)
  else if (code === 'ERR_KEY_SET')
    warnOfFailure(listener, code, error) // `check` has told `onError`
  else reportFailure(listener, error, { durationMs: 0, enforced: false })
}

const NO_LISTENER = { id: 'unknown', clock: Date, onError: undefined }

/** @throws ListenerConfigError for anything else, such as a payload that a parser has made. */
function bytesOf(body: ExactBody): Uint8Array {
  if (typeof body === 'string') return encodeUtf8(body)
  const kind = kindOf(body) // not `instanceof`: test runners have realms of their own
  if (kind === 'Uint8Array') return body as Uint8Array
  if (kind === 'ArrayBuffer') return new Uint8Array(body)
  throw new ListenerConfigError(
    'rawBody',
    'must be the bytes or the text that your own check hashes: what a parser has made of them has no signature',
  )
}

/** Leaves the claim, and the answers to handshakes, to whatever answers the request. */
async function checkWithoutClaim(verification: Verification): Promise<Verdict<unknown>> {
  const stop = await check(verification)
  return stop ?? report(verification, { ok: true, event: acceptedEvent(verification, new Unclaimed()) })
}

/** Stands for the lease of an event that was never claimed. */
class Unclaimed {
  readonly signal: AbortSignal = new AbortController().signal
  commit = async (): Promise<'lost'> => 'lost'
  release = async (): Promise<boolean> => false
}
