import type { OUTCOMES } from './schema/enums.ts'
import type { TaskKind } from './schema/task-type.ts'

/** The result of a closed task. If its last step was skipped, nobody decided. */
export type Verdict = 'accepted' | 'denied' | 'cancelled' | 'skipped'

type Words = { readonly [Kind in TaskKind]: Readonly<Record<Verdict, (typeof OUTCOMES)[Kind][number]>> }

/** The outcome (2.7) of each result. A denial counts as cancelled if the enumeration has no word for it. */
const WORDS: Words = {
  grant: {
    accepted: 'GRANT_OUTCOME_GRANTED',
    denied: 'GRANT_OUTCOME_DENIED',
    cancelled: 'GRANT_OUTCOME_CANCELLED',
    skipped: 'GRANT_OUTCOME_UNSPECIFIED',
  },
  revoke: {
    accepted: 'REVOKE_OUTCOME_REVOKED',
    denied: 'REVOKE_OUTCOME_DENIED',
    cancelled: 'REVOKE_OUTCOME_CANCELLED',
    skipped: 'REVOKE_OUTCOME_UNSPECIFIED',
  },
  certify: {
    accepted: 'CERTIFY_OUTCOME_CERTIFIED',
    denied: 'CERTIFY_OUTCOME_DECERTIFIED',
    cancelled: 'CERTIFY_OUTCOME_CANCELLED',
    skipped: 'CERTIFY_OUTCOME_UNSPECIFIED',
  },
  offboarding: {
    accepted: 'OFFBOARDING_OUTCOME_DONE',
    denied: 'OFFBOARDING_OUTCOME_CANCELLED',
    cancelled: 'OFFBOARDING_OUTCOME_CANCELLED',
    skipped: 'OFFBOARDING_OUTCOME_UNSPECIFIED',
  },
  action: {
    accepted: 'ACTION_OUTCOME_SUCCESS',
    denied: 'ACTION_OUTCOME_DENIED',
    cancelled: 'ACTION_OUTCOME_CANCELLED',
    skipped: 'ACTION_OUTCOME_UNSPECIFIED',
  },
  finding: {
    accepted: 'FINDING_TASK_OUTCOME_REMEDIATED',
    denied: 'FINDING_TASK_OUTCOME_CANCELLED',
    cancelled: 'FINDING_TASK_OUTCOME_CANCELLED',
    skipped: 'FINDING_TASK_OUTCOME_UNSPECIFIED',
  },
}

export function outcomeWord(kind: TaskKind, verdict: Verdict): string {
  return WORDS[kind][verdict]
}
