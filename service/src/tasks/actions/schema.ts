import { z } from '@hono/zod-openapi'
import { orNull } from '../../http/or-null.ts'
import { expandMaskSchema } from '../schema/expand.ts'

export const MAX_COMMENT_LENGTH = 4_096
export const comment: z.ZodString = z.string().max(MAX_COMMENT_LENGTH)
const policyStepId = z.string().openapi({ description: '`task.policy.current.id`.' })
const expandMask = orNull(expandMaskSchema).optional()

const wholeTask = { comment: comment.nullish(), expandMask }
const ofStep = { policyStepId, ...wholeTask }

/** Specification, 2.1. */
export const skipStepRequest = z.strictObject(ofStep).openapi('SkipStepRequest')

export const approveRequest = z.strictObject(ofStep).openapi('ApproveRequest')
export const denyRequest = z.strictObject(ofStep).openapi('DenyRequest')

export const reassignRequest = z
  .strictObject({
    ...ofStep,
    newStepUserIds: z.array(z.string()).min(1).max(100).openapi({ description: 'The new approvers.' }),
  })
  .openapi('ReassignRequest')

export const commentRequest = z
  .strictObject({ comment: comment.min(1), expandMask })
  .openapi('CommentRequest')

export const restartRequest = z
  .strictObject({
    ...wholeTask,
    policyStepId: z
      .string()
      .nullish()
      .openapi({ description: 'Must be the current step. Default: the current step.' }),
  })
  .openapi('RestartRequest')

export const closeRequest = z.strictObject(wholeTask).openapi('CloseRequest')
