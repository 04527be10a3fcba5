import type { OUTCOMES } from './schema/enums.ts'
import type { TaskKind } from './schema/task-type.ts'

/**
 * The policy types that can process each kind of task. An empty list allows any type: there is no built-in policy, so
 * the request must name one.
 */
export const POLICY_TYPES_FOR: Readonly<Record<TaskKind, readonly string[]>> = {
  grant: ['POLICY_TYPE_GRANT', 'POLICY_TYPE_ACCESS_REQUEST', 'POLICY_TYPE_PROVISION'],
  revoke: ['POLICY_TYPE_REVOKE'],
  certify: ['POLICY_TYPE_CERTIFY'],
  offboarding: [],
  action: [],
  finding: [],
}

/** The result of a closed task. If its last step was skipped, nobody decided. */
export type Verdict = 'accepted' | 'denied' | 'cancelled' | 'skipped'

type Words = { readonly [Kind in TaskKind]: Readonly<Record<Verdict, (typeof OUTCOMES)[Kind][number]>> }

/** The outcome (2.7) of each result. A denial counts as cancelled if the enumeration has no word for it. */
const WORDS: Words = {
  grant: words('GRANT_OUTCOME', 'GRANTED', 'DENIED'),
  revoke: words('REVOKE_OUTCOME', 'REVOKED', 'DENIED'),
  certify: words('CERTIFY_OUTCOME', 'CERTIFIED', 'DECERTIFIED'),
  offboarding: words('OFFBOARDING_OUTCOME', 'DONE', 'CANCELLED'),
  action: words('ACTION_OUTCOME', 'SUCCESS', 'DENIED'),
  finding: words('FINDING_TASK_OUTCOME', 'REMEDIATED', 'CANCELLED'),
}

function words<Prefix extends string, Accepted extends string, Denied extends string>(
  prefix: Prefix,
  accepted: Accepted,
  denied: Denied,
) {
  return {
    accepted: `${prefix}_${accepted}`,
    denied: `${prefix}_${denied}`,
    cancelled: `${prefix}_CANCELLED`,
    skipped: `${prefix}_UNSPECIFIED`,
  } as const
}

export function outcomeWord(kind: TaskKind, verdict: Verdict): string {
  return WORDS[kind][verdict]
}
