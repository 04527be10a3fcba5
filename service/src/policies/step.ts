import { z } from '@hono/zod-openapi'
import { anyMembers } from '../http/as-given.ts'
import { oneOfMembers, oneOfMembersInput, setMembers, withNulls } from '../http/exactly-one.ts'
import { openEnum, prefixed } from '../http/open-enum.ts'
import { memberOf } from '../member-of.ts'
import { ends, noEnds } from './endings.ts'

const notShown = 'The specification does not show its fields. They are kept as given.'

const userIds = {
  type: 'array' as const,
  items: { type: 'string' as const },
  description: 'The users who may act. An addition.',
}
/** Refused, because a step whose approvers are not read is open to every operator. */
const users = z
  .unknown()
  .refine((given) => memberOf(given, 'userIds') === undefined, {
    path: ['userIds'],
    error: 'is not read; name the users in `userIds` of the step itself',
  })
  .optional()
const approvers = { users, userIds: z.array(z.string()).optional() }
const begin = z.object({ ...noEnds, ...approvers })
const acting = anyMembers(begin).openapi({ properties: { userIds }, description: notShown })
const accepting = anyMembers(begin.extend({ acceptMessage: z.string().optional() })).openapi({
  properties: { acceptMessage: { type: 'string' } },
  description: notShown,
})
const beginning = anyMembers(begin).openapi({ description: notShown })
const open = anyMembers().openapi({ description: notShown })

export const STEP_KINDS = ['approval', 'provision', 'accept', 'reject', 'wait', 'form', 'action'] as const
export type StepKind = (typeof STEP_KINDS)[number]

const variants = {
  approval: acting,
  provision: acting,
  accept: accepting,
  reject: beginning,
  wait: beginning,
  form: beginning,
  action: anyMembers(z.object(approvers)).openapi({ description: notShown }), // may name an ending, as its instance does
} satisfies Record<StepKind, z.ZodType>

export const policyStepSchema = oneOfMembers(variants).openapi('PolicyStep')
export const policyStepInput = oneOfMembersInput(variants).openapi('PolicyStepInput')

/** A stored step. Its only member is its kind. */
export type StoredStep = Readonly<Record<string, unknown>>

export const STEP_STATES = prefixed('POLICY_STEP_STATE', 'UNSPECIFIED ACTIVE DONE')

const instance = z.looseObject(ends).openapi({ description: notShown })
const acceptInstance = instance.extend({ acceptMessage: z.string().optional() })

/** The policy's action, a target instance and an outcome. The service does not perform actions: users complete them. */
const actionMembers = {
  action: open,
  automation: open,
  batonResourceActionInstance: open,
  clientIdApprovalInstance: open,
  success: open,
  denied: open,
  error: open,
  cancelled: open,
}
export const actionInstanceSchema = instance
  .extend(oneOfMembers(actionMembers).shape)
  .openapi('ActionInstance', {
    description: 'The specification names its members, but does not show their fields.',
  })

const instances = {
  approval: instance,
  provision: instance,
  accept: acceptInstance,
  reject: instance,
  wait: instance,
  form: instance,
  action: actionInstanceSchema,
} satisfies Record<StepKind, z.ZodType>

export const policyStepInstanceSchema = oneOfMembers(instances)
  .extend({
    id: z.string().openapi({ readOnly: true, description: 'The `policyStepId` of Skip Step.' }),
    policyGenerationId: z.string(),
    state: openEnum(STEP_STATES).openapi({ readOnly: true }),
  })
  .openapi('PolicyStepInstance')

export type PolicyStep = z.infer<typeof policyStepSchema>
export type PolicyStepInstance = z.infer<typeof policyStepInstanceSchema>

/** A step in a response, with all kinds as members. */
export function policyStep(step: StoredStep): PolicyStep {
  // `policyStepInput` validated it before it was stored.
  return withNulls(STEP_KINDS, step) as PolicyStep
}

/** The initial instance of a step. That of an action holds it. The specification shows no fields of the others. */
export function begun(kind: string, variant: unknown): object {
  return kind === 'action' ? withNulls(Object.keys(actionMembers), { action: variant }) : Object(variant)
}

/** Reduces a step of a request to its only member. */
export function storedStep(given: z.infer<typeof policyStepInput>): StoredStep {
  return Object.fromEntries(setMembers(given))
}

/** A step's kind, and the policy's settings for it. */
export function variantOf(step: StoredStep): [kind: string, variant: unknown] {
  return Object.entries(step)[0] ?? ['', {}]
}

/** The users who may act on a step: the `userIds` of its kind. */
export function actorsOf(step: StoredStep): string[] {
  const [, variant] = variantOf(step)
  const ids = memberOf(variant, 'userIds')
  return Array.isArray(ids) ? [...new Set(ids.filter((id) => typeof id === 'string'))] : []
}
