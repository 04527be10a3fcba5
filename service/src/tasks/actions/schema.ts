import { z } from '@hono/zod-openapi'
import { orNull } from '../../http/or-null.ts'
import { expandMaskSchema } from '../schema/expand.ts'

export const MAX_COMMENT_LENGTH = 4_096
export const comment: z.ZodString = z.string().max(MAX_COMMENT_LENGTH)
const expandMask = orNull(expandMaskSchema).optional()

/** The bodies of actions. That of Skip Step is `ofStep` (specification, 2.1). */
export const wholeTask = z.strictObject({ comment: comment.nullish(), expandMask })

export const ofStep = z.strictObject({
  policyStepId: z.string().openapi({ description: '`task.policy.current.id`.' }),
  ...wholeTask.shape,
})

export const newApprovers = ofStep.extend({
  newStepUserIds: z.array(z.string()).min(1).max(100).openapi({ description: 'The new approvers.' }),
})

export const newComment = z.strictObject({ comment: comment.min(1), expandMask })

export const restarting = wholeTask.extend({
  policyStepId: z
    .string()
    .nullish()
    .openapi({ description: 'Must be the current step. Default: the current step.' }),
})
