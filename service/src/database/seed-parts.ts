import { seedAutomations } from '../automations/seed.ts'
import { seedTasks } from '../tasks/seed.ts'
import type { SeedPart } from './seed.ts'

/** What the demo tenant has besides its directory. The parts are added in this order. */
export const SEED_PARTS: readonly SeedPart[] = [seedTasks, seedAutomations]
