import { z } from '@hono/zod-openapi'
import { CelError, checkCel, MAX_EXPRESSION_LENGTH } from '../cel/evaluate.ts'

type CelType = NonNullable<Parameters<typeof checkCel>[1]>

/** A CEL expression over `ctx.trigger`, checked before it is saved. */
function cel(type: CelType, gives: string) {
  return z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .superRefine((expression, { addIssue }) => {
      try {
        checkCel(expression, type)
      } catch (error) {
        if (!(error instanceof CelError)) throw error
        addIssue({ code: 'custom', message: `is not a valid CEL expression: ${error.message}` })
      }
    })
    .openapi({ description: `CEL over \`ctx.trigger\`, the body of the webhook. ${gives}` })
}

const skipStep = z
  .strictObject({
    type: z.literal('skip_step'),
    taskIdCel: cel('any', 'Returns the task: its ID, or its numeric ID as a string or a number.'),
    policyStepIdCel: cel(
      'string',
      'Returns the ID of the step to skip. Default: the current step.',
    ).optional(),
    commentCel: cel('string', 'Returns the comment.').optional(),
  })
  .openapi('SkipStepStep')

const createTask = z
  .strictObject({
    type: z.literal('create_task'),
    taskCel: cel('map', 'Returns the body of a `POST /api/v1/tasks`.'),
  })
  .openapi('CreateTaskStep')

const record = z
  .strictObject({
    type: z.literal('record'),
    valueCel: cel('any', 'Returns the value to record.'),
  })
  .openapi('RecordStep')

export const stepSchema = z
  .discriminatedUnion('type', [skipStep, createTask, record])
  .openapi('AutomationStep')

export const stepsSchema = z.array(stepSchema).min(1).max(20)

export type AutomationStep = z.infer<typeof stepSchema>
export type StepOf<Type extends AutomationStep['type']> = Extract<AutomationStep, { type: Type }>
