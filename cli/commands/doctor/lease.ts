import type { AnyScheme } from '../../signing/schemes.ts'
import { type Finding, ok } from './finding.ts'

/** The default of `storeTimeoutSeconds`. */
const STORE_TIMEOUT_SECONDS = 2

/** Mentions a sender's lease that a slow answer of the store can outlast: no mistake, but then the sender gets 503. */
export function mentionLease(scheme: AnyScheme | undefined): Finding[] {
  const { leaseSeconds = Infinity, sender = '' } = scheme?.scheme ?? {}
  if (leaseSeconds > STORE_TIMEOUT_SECONDS) return []
  return [
    ok(
      `leaseSeconds is ${leaseSeconds} for ${sender}, and storeTimeoutSeconds ${STORE_TIMEOUT_SECONDS} by default: a claim that the store answers after its lease is given back, and gets 503`,
    ),
  ]
}
