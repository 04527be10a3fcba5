import type { Transaction } from '../database/database.ts'
import { DEMO, type SeedPart } from '../database/seed.ts'
import type { Caller } from '../http/bearer.ts'
import type { Dependencies } from '../http/dependencies.ts'
import { derivedKey } from '../http/derived-key.ts'
import { addSecret } from '../listeners/secrets.ts'
import type { NewAutomation } from './schema.ts'
import { createAutomation, publishAutomation } from './store.ts'

/** The demo listeners' IDs, fixed so that documented commands can use them. */
export const DEMO_LISTENERS = {
  hmac: '00000000-0000-4000-8000-00000000000a',
  jwt: '00000000-0000-4000-8000-00000000000b',
} as const

/** The demo sender's secret. Derived from the root secret, so that every start can print it. */
export function demoSigningSecret(secret: string): string {
  return derivedKey(secret, 'demo signing secret').toString('base64url')
}

const ADA: Caller = { userId: DEMO.adminId, roles: ['super_admin'], skipsAnyStep: true }

/** Two automations. An HMAC webhook skips the current step of the task it names, and a JWT webhook is recorded. */
export const seedAutomations: SeedPart = async (tx, dependencies) => {
  await seedOne(tx, dependencies, DEMO_LISTENERS.hmac, {
    displayName: 'Payroll has approved',
    description: 'Skips the current step of the task.',
    steps: [{ type: 'skip_step', taskIdCel: 'ctx.trigger.task', commentCel: 'ctx.trigger["approved by"]' }],
    trigger: { enabled: true, incomingWebhook: { hmac: {} } },
  })
  await tx.query('DELETE FROM listener_secrets WHERE listener_id = $1', [DEMO_LISTENERS.hmac]) // nobody has seen it
  await addSecret(tx, dependencies, DEMO_LISTENERS.hmac, demoSigningSecret(dependencies.secret))
  await seedOne(tx, dependencies, DEMO_LISTENERS.jwt, {
    displayName: 'HR keeps us informed',
    description: 'Records each webhook.',
    steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
    trigger: {
      enabled: true,
      incomingWebhook: { jwt: { jwksUrl: 'https://hr.example.com/.well-known/jwks.json' } },
    },
  })
}

async function seedOne(
  tx: Transaction,
  dependencies: Dependencies,
  listenerId: string,
  automation: NewAutomation,
): Promise<void> {
  const { id } = await createAutomation(tx, dependencies, ADA, automation, listenerId)
  await publishAutomation(tx, dependencies, id)
}
