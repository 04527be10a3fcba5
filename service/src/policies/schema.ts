import { z } from '@hono/zod-openapi'
import { anyMembers, recordOf, texts } from '../http/as-given.ts'
import { nameFilters, searchBody } from '../http/list.ts'
import { openEnum, prefixed } from '../http/open-enum.ts'
import { orNull } from '../http/or-null.ts'
import { timestamp } from '../http/timestamp.ts'
import { policyStepInput, policyStepSchema } from './step.ts'

export const POLICY_TYPES = prefixed(
  'POLICY_TYPE',
  'UNSPECIFIED GRANT REVOKE CERTIFY ACCESS_REQUEST PROVISION',
)

/** `grant` for `POLICY_TYPE_GRANT`: the key of the baseline (specification, 2.9). */
export function baselineKey(policyType: string): string {
  return policyType.replace(/^POLICY_TYPE_/, '').toLowerCase()
}

export const ruleSchema = anyMembers(
  z.object({ condition: z.string().min(1), policyKey: z.string() }),
).openapi('Rule', {
  properties: {
    condition: {
      type: 'string',
      minLength: 1,
      description: 'CEL over `ctx.task` and `ctx.user`; true selects. An addition.',
    },
    policyKey: {
      type: 'string',
      description: 'The key of the selected entry of `policySteps`. An addition.',
    },
  },
  required: ['condition', 'policyKey'],
  description: 'The specification does not show its fields. Other members are kept as given.',
})

const notShown = { description: 'The specification does not show its fields.' }
const postAction = anyMembers().openapi('PolicyPostActions', notShown)
const scope = anyMembers().openapi('PolicyScope', notShown)

const annotations = texts()
const deprecated = z.boolean().openapi({ deprecated: true, description: 'Unused.' })

export const policySchema = z
  .object({
    id: z.string().openapi({ readOnly: true }),
    displayName: z.string(),
    description: z.string(),
    policyType: openEnum(POLICY_TYPES),
    policySteps: z.record(
      z.string(),
      z.object({ steps: z.array(policyStepSchema) }).openapi('PolicySteps', {
        description: 'The specification does not show its fields. `steps` is an addition.',
      }),
    ),
    rules: z.array(ruleSchema).nullable(),
    baselinePolicyId: z.string(),
    postActions: z.array(postAction).nullable(),
    scope: orNull(scope),
    annotations,
    reassignTasksToDelegates: deprecated,
    systemBuiltin: z.boolean().openapi({ readOnly: true }),
    createdAt: timestamp.openapi({ readOnly: true }),
    updatedAt: timestamp.openapi({ readOnly: true }),
    deletedAt: timestamp.openapi({ readOnly: true }),
  })
  .openapi('Policy')

export type Policy = z.infer<typeof policySchema>

export const policyResponse = z.object({ policy: policySchema }).openapi('PolicyResponse')

const MOST_RULES = 50
/** The baseline, and one for each rule. */
const MOST_SEQUENCES = MOST_RULES + 1

const sequence = z.strictObject({ steps: z.array(policyStepInput).min(1).max(50) })
const stepsInput = recordOf(sequence, MOST_SEQUENCES).openapi({
  description: 'The baseline under the lower-case policy type, and the steps for rules under UUIDs.',
})

const settings = {
  displayName: z.string().min(1).max(256),
  description: z.string().max(4_096).optional(),
  policySteps: stepsInput.optional(),
  rules: z.array(ruleSchema).max(MOST_RULES).nullable().optional(),
  baselinePolicyId: z
    .string()
    .optional()
    .openapi({ description: 'The policy to use instead of a baseline entry.' }),
  postActions: z.array(postAction).max(50).nullable().optional(),
  scope: orNull(scope).optional(),
  annotations: annotations
    .optional()
    .openapi({ description: 'Absent keys are kept, and an empty value deletes its key. `c1/` is reserved.' }),
  reassignTasksToDelegates: deprecated.optional(),
}

export const createPolicyRequest = z
  .strictObject({ ...settings, policyType: z.enum(POLICY_TYPES).exclude(['POLICY_TYPE_UNSPECIFIED']) })
  .openapi('CreatePolicyRequest')

/** Absent fields stay unchanged. `policyType` cannot change. */
export const updatePolicyRequest = z
  .strictObject({ ...settings, displayName: settings.displayName.optional() })
  .openapi('UpdatePolicyRequest')

export const searchPoliciesRequest = searchBody({
  ...nameFilters,
  displayName: z.string().optional().openapi({ description: 'The whole display name. Ignores case.' }),
  policyTypes: z.array(z.enum(POLICY_TYPES)).optional().openapi({ description: 'Default: all.' }),
  excludePolicyIds: z.array(z.string()).optional(),
  includeDeleted: z.boolean().optional(),
}).openapi('SearchPoliciesRequest')

export type SearchPolicies = z.infer<typeof searchPoliciesRequest>
export type CreatePolicy = z.infer<typeof createPolicyRequest>
export type UpdatePolicy = z.infer<typeof updatePolicyRequest>
