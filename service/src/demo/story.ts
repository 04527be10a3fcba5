import type { Dependencies } from '../http/dependencies.ts'
import { urlOf } from '../listeners/compile.ts'
import { DEMO_LISTENERS, demoSigningSecret, demoToken, hasDemoToken } from './tenant.ts'

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
2. Skip the first step of task 1:
   ${ask} ${baseUrl}/api/v1/tasks/1/action/skip-step --data '{"policyStepId":"step-1"}'
3. The same by a signed webhook, for task 2:
   node dist/cli/main.js send $LISTENER --data '{"task":2,"approved by":"payroll"}'
`
}
