import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { newAutomationSchema } from '../automations/schema.ts'
import { createAutomation, publishAutomation } from '../automations/store.ts'
import { evaluateCel } from '../cel/evaluate.ts'
import type { Transaction } from '../database/database.ts'
import { importDirectory } from '../directory/import.ts'
import { directorySchema } from '../directory/schema.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { ASSETS } from '../http/page.ts'
import { addSecret } from '../listeners/secrets.ts'
import { createPolicyRequest } from '../policies/schema.ts'
import { createPolicy } from '../policies/write.ts'
import { advanceRun } from '../runs/advance.ts'
import { dueStep } from '../runs/due-step.ts'
import { startRun } from '../runs/start.ts'
import { createTask } from '../tasks/create-task.ts'
import { createTaskRequest } from '../tasks/schema/requests.ts'
import { DEMO, DEMO_LISTENERS, demoSigningSecret, issueDemoToken } from './tenant.ts'

/** `assets/demo.json`: what a client would send to create the tenant, and the IDs that the service would generate. */
const demoSchema = z.strictObject({
  directory: directorySchema,
  policy: z.strictObject({ id: z.string(), request: createPolicyRequest }),
  tasks: z.array(createTaskRequest),
  automations: z.array(
    z.strictObject({ id: z.string(), listenerId: z.string(), request: newAutomationSchema }),
  ),
  event: z.strictObject({ id: z.string(), listenerId: z.string(), body: z.unknown() }),
})

const ADA: Caller = { userId: DEMO.adminId, roles: ['super_admin'], skipsAnyStep: true }

/** Creates the demo tenant in a database without users, in one transaction. Does nothing otherwise. */
export async function seed(dependencies: Dependencies): Promise<void> {
  const demo = demoSchema.parse(JSON.parse(await readFile(new URL('demo.json', ASSETS), 'utf8')))
  await dependencies.database.transaction(async (tx) => {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('hookgate-service seed', 0))")
    if ((await tx.query('SELECT FROM users LIMIT 1')).length > 0) return
    await importDirectory(tx, demo.directory, dependencies)
    await issueDemoToken(tx, dependencies.secret)
    await createPolicy(tx, demo.policy.request, withId(demo.policy.id, dependencies))
    await seedTasks(tx, demo, dependencies)
    await seedAutomations(tx, demo, dependencies)
    await seedRun(tx, demo, dependencies)
  })
}

type Demo = z.infer<typeof demoSchema>

/** Gives the next object this ID. */
function withId(id: string, dependencies: Dependencies): Dependencies {
  const fixed = [id]
  return { ...dependencies, newId: () => fixed.pop() ?? dependencies.newId() }
}

/** Open tasks. The first step of task 1 is `step-1`. */
async function seedTasks(tx: Transaction, { tasks }: Demo, dependencies: Dependencies): Promise<void> {
  const by = { userId: DEMO.requesterId }
  for (const task of tasks) await createTask(tx, task, by, { ...dependencies, evaluate: evaluateCel })
  await tx.query(
    `UPDATE task_steps SET instance_id = 'step-' || numeric_id FROM tasks
     WHERE tasks.id = task_id AND instance_id IS NOT NULL`,
  )
}

async function seedAutomations(tx: Transaction, { automations }: Demo, dependencies: Dependencies) {
  for (const { id, listenerId, request } of automations) {
    await createAutomation(tx, withId(id, dependencies), ADA, request, listenerId)
    await publishAutomation(tx, dependencies, id)
  }
  await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1', [DEMO_LISTENERS.hmac]) // nobody has seen it
  const signingSecret = demoSigningSecret(dependencies.secret)
  await addSecret(tx, withId(DEMO.secretId, dependencies), DEMO_LISTENERS.hmac, signingSecret)
}

/** A run of one step that has succeeded. */
async function seedRun(tx: Transaction, { event }: Demo, dependencies: Dependencies): Promise<void> {
  const rawBody = Buffer.from(JSON.stringify(event.body))
  await startRun(tx, withId(DEMO.runId, dependencies), { ...event, rawBody })
  const due = await dueStep(tx, DEMO.runId)
  if (due) await advanceRun(tx, dependencies, due, evaluateCel)
}
