import { z } from '@hono/zod-openapi'

/** How a step can end, and what the time of its end is called. */
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

// `keys` forgets the names.
const ENDINGS = Object.keys(TIMES) as Ending[]

/** An end as a step's instance has it. The user is empty where the policy itself ended the step. */
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
    .openapi({ description: 'Set when the step ended so. An addition.' })

/** Members of an instance: the one of its end is set. `fromEntries` forgets the names. */
export const ends = Object.fromEntries(ENDINGS.map((ending) => [ending, end(ending).optional()])) as Record<
  Ending,
  z.ZodOptional<ReturnType<typeof end>>
>

/** The same names, which no policy may use for a step's own fields. `fromEntries` forgets the names. */
export const noEnds = Object.fromEntries(
  ENDINGS.map((ending) => [ending, z.undefined('is written when the step ends').optional()]),
) as Record<Ending, z.ZodOptional<z.ZodUndefined>>
