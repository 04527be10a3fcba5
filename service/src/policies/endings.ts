import { z } from '@hono/zod-openapi'

/** How a step can end, and the name of the field with its time. */
const TIMES = {
  skipped: 'skippedAt',
  approved: 'approvedAt',
  completed: 'completedAt',
  denied: 'deniedAt',
  reassigned: 'reassignedAt',
  restarted: 'restartedAt',
  cancelled: 'cancelledAt',
  accepted: 'acceptedAt',
  rejected: 'rejectedAt',
} as const

export type Ending = keyof typeof TIMES

// `keys` loses the key types.
const ENDINGS = Object.keys(TIMES) as Ending[]

/** The end of a step, as in its instance. The user is empty if the policy itself ended the step. */
export function endOf(
  ending: Ending,
  { now, userId, comment }: { readonly now: Date; readonly userId: string; readonly comment: string },
): object {
  return { [TIMES[ending]]: now.toISOString(), userId, comment }
}

const end = (ending: Ending) =>
  z
    .object({
      [TIMES[ending]]: z.iso.datetime(),
      userId: z.string(),
      comment: z.string(),
      ...(ending === 'reassigned' && { newPolicyStepId: z.string() }),
      ...(ending === 'restarted' && { oldPolicyStepId: z.string() }),
    })
    .openapi({ description: 'Set if the step ended this way. An addition.' })

/** The members of an instance, of which the one for its ending is set. */
export const ends = Object.fromEntries(ENDINGS.map((ending) => [ending, end(ending).optional()]))

/** The same names, reserved: a policy must not use them for a step's own fields. */
export const noEnds = Object.fromEntries(
  ENDINGS.map((ending) => [ending, z.undefined('is set by the service when the step ends').optional()]),
)
