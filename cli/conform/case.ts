import type { Outgoing } from '../../sender/exchange.ts'
import type { Reason } from '../../src/reason.ts'
import type { SignedParts } from '../../src/testing/wrong-parts.ts'
import type { MutatedRequest } from '../../src/testing/wrong-requests.ts'
import { rejected } from '../../src/verdict.ts'
import { ruleOf } from './rules.ts'

/** Signs a delivery as the receiver expects it: now, with a new event ID and a small body, unless other parts are given. */
export type Sign = (parts?: Partial<SignedParts>) => Promise<MutatedRequest>

/** One delivery, and how it has to be answered. */
export interface Case {
  /** How it differs from a valid delivery. */
  readonly name: string
  /** The receiver's mistake if it answers otherwise. */
  readonly rule: string
  /** The statuses that are right. */
  readonly statuses: readonly number[]
  /** The expected `code`, if the receiver sends codes of hookgate. */
  readonly code?: string
  /** It says nothing unless an event was accepted before. */
  readonly needsAccepted?: true
  /** Signs it, at the moment of sending. */
  readonly make: () => Promise<Outgoing>
}

const ACCEPTED = [200, 201, 202, 204]

export function accepted(name: string, rule: string, make: Case['make']): Case {
  return { name, rule, statuses: ACCEPTED, make }
}

/** A delivery of an event that was accepted before. */
export function duplicate(name: string, rule: string, make: Case['make']): Case {
  return { name, rule, statuses: [409], code: 'event_duplicate', needsAccepted: true, make }
}

/**
 * A delivery that every check has to let through, of an event that was accepted before: so it leaves nothing behind. Without a memory
 * it is accepted once more, which is for other cases to complain about.
 */
export function passes(name: string, rule: string, make: Case['make']): Case {
  return { ...duplicate(name, rule, make), statuses: [409, ...ACCEPTED] }
}

export function refused(
  name: string,
  reason: Reason,
  make: Case['make'],
  rule: string = ruleOf(reason),
): Case {
  const { status } = rejected(reason, name)
  // A router may know no other method at this path.
  const statuses = reason === 'method_not_post' ? [status, 404, 405] : [status]
  return { name, rule, statuses, code: status === 401 ? 'unauthorized' : reason, make }
}
