import { DEMO_LISTENERS, demoSigningSecret } from './automations/seed.ts'
import { demoToken, hasDemoToken } from './database/seed.ts'
import type { Dependencies } from './http/dependencies.ts'
import { urlOf } from './listeners/compile.ts'

/** Printed without a demo token. */
export const NO_DEMO =
  '\nNo demo token is valid here. To issue an access token: npm run service -- token --help\n'

/** What the service prints at the start: the demo tenant's token, and three commands to try. */
export async function storyOf(dependencies: Dependencies): Promise<string> {
  if (!(await hasDemoToken(dependencies))) return NO_DEMO
  const { baseUrl, secret } = dependencies
  const ask = `curl -s -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json"`
  return `
TOKEN=${demoToken(secret)}
LISTENER=${urlOf(dependencies, DEMO_LISTENERS.hmac)}
export HOOKGATE_SECRET=${demoSigningSecret(secret)}

1. The open tasks; task.policy.current.id is the step that can be skipped:
   ${ask} ${baseUrl}/api/v1/search/tasks --data '{}'
2. Skip a step of task 1:
   ${ask} ${baseUrl}/api/v1/tasks/1/action/skip-step --data '{"policyStepId":"${await firstStep(dependencies)}"}'
3. The same by a signed webhook, for task 2:
   node dist/cli/main.js send $LISTENER --data '{"task":2,"approved by":"payroll"}'
`
}

/** The current step of task 1, while the task is open. */
async function firstStep({ database }: Dependencies): Promise<string> {
  const [step] = await database.query<{ instance_id: string }>(
    `SELECT instance_id FROM task_steps JOIN tasks ON tasks.id = task_id
     WHERE numeric_id = 1 AND task_steps.state = 'POLICY_STEP_STATE_ACTIVE'`,
  )
  return step?.instance_id ?? '…'
}
