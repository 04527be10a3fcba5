import { readFile } from 'node:fs/promises'
import { DEMO_LISTENERS } from '../automations/seed.ts'
import { DEMO, hasDemoToken } from '../database/seed.ts'
import type { Dependencies } from './dependencies.ts'

/** Request bodies by `operationId`. They match the demo tenant, so that "Try it out" works. */
const BODIES: Readonly<Record<string, object>> = JSON.parse(
  await readFile(new URL('../../assets/examples.json', import.meta.url), 'utf8'),
)

const ACTIONS = 'svc.api.task.v1.TaskActionsService.'

/** The open demo tasks, those whose step the demo user may decide last. */
const STEPS = `SELECT numeric_id::text AS task_id, instance_id AS step_id,
    NOT step @? '$.approval.userIds[0]' OR step @> $1::jsonb AS decidable
  FROM task_steps JOIN tasks ON tasks.id = task_id
  WHERE task_steps.state = 'POLICY_STEP_STATE_ACTIVE' AND numeric_id <= 4 ORDER BY decidable, numeric_id`

const IDS = `SELECT (SELECT automation_id FROM listeners WHERE id = ANY($1) ORDER BY id DESC LIMIT 1) AS automation_id,
    (SELECT id FROM listener_secrets WHERE listener_id = ANY($1) ORDER BY number LIMIT 1) AS secret_id,
    (SELECT id FROM runs WHERE listener_id = ANY($1) ORDER BY number DESC LIMIT 1) AS run_id,
    coalesce((SELECT id FROM policies WHERE id = $2 AND deleted_at IS NULL), 'builtin-grant') AS policy_id`

/** The examples of one operation. */
export interface Example {
  readonly body: object | undefined
  readonly parameters: Readonly<Record<string, string | null>>
}

/**
 * Reads the examples from the demo tenant as it is now. Names no other tenant's objects, because the document needs no
 * token. Actions that would be in each other's way have different tasks.
 */
export async function readExamples(dependencies: Dependencies): Promise<(operationId: string) => Example> {
  const { database } = dependencies
  const fixed = { task_id: '1', app_id: DEMO.appId, listener_id: DEMO_LISTENERS.hmac }
  if (!(await hasDemoToken(dependencies))) return (id) => ({ body: BODIES[id], parameters: fixed })
  const mine = JSON.stringify({ approval: { userIds: [DEMO.adminId] } })
  const steps = await database.query<{ task_id: string; step_id: string; decidable: boolean }>(STEPS, [mine])
  const [ids] = await database.query<Record<string, string | null>>(IDS, [
    Object.values(DEMO_LISTENERS),
    DEMO.grantPolicyId,
  ])
  const [guarded, free] = [steps.filter((step) => !step.decidable), steps.filter((step) => step.decidable)]
  const taskOf = new Map([
    ['SkipStep', guarded.at(0) ?? steps.at(0)],
    ['Close', guarded.at(0) ?? steps.at(0)],
    ['Approve', free.at(0)],
    ['Deny', free.at(-1)],
  ])
  return (operationId) => {
    const action = operationId.replace(ACTIONS, '')
    const task = taskOf.get(action) ?? guarded.at(-1) ?? steps.at(-1)
    const takesStep = ['SkipStep', 'Approve', 'Deny', 'Reassign'].includes(action)
    const body = takesStep
      ? { policyStepId: task?.step_id ?? '', ...BODIES[operationId] }
      : BODIES[operationId]
    const isAction = operationId !== action
    return { body, parameters: { ...fixed, ...ids, ...(isAction && task && { task_id: task.task_id }) } }
  }
}
