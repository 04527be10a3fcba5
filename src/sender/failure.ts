import { isA, textOf } from '../lib/member-of.ts'

/** The cause of a failure without a response. */
export type DeliveryFailure =
  | 'url_invalid'
  | 'address_not_public'
  | 'name_not_found'
  | 'connection_failed'
  | 'certificate_refused'
  | 'answer_not_http'
  | 'timed_out'

export class TimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`did not answer within ${timeoutMs / 1000} s`)
  }
}

const FAILURES: readonly (readonly [codes: RegExp, failure: DeliveryFailure])[] = [
  [/^ERR_ADDRESS_REFUSED$/, 'address_not_public'],
  [/^(?:ENOTFOUND|EAI_|ENODATA)/, 'name_not_found'],
  [/^HPE_|^ERR_(?:STREAM|HTTP)_/, 'answer_not_http'],
  [/CERT|^ERR_(?:TLS|SSL)_|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^EPROTO$/, 'certificate_refused'],
]

/** The failure behind an error of `exchange`. */
export function failureOf(error: unknown): DeliveryFailure {
  if (isA(error, TimedOut)) return 'timed_out'
  const code = textOf(error, 'code') ?? ''
  return FAILURES.find(([codes]) => codes.test(code))?.[1] ?? 'connection_failed'
}

/** Failures that a retry cannot fix. Certificates, name servers and networks can change, a URL cannot. */
export function isFinal(failure: DeliveryFailure): boolean {
  return failure === 'url_invalid' || failure === 'address_not_public'
}
