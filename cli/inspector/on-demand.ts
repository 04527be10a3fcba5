import type { DeliveryReport } from '../listen/report.ts'
import type { Inspector } from './inspector.ts'
import { INSPECTOR_OPTIONS, type InspectorValues } from './options.ts'
import type { InspectorPlan } from './plan.ts'
import type { Listening } from './watched.ts'

/** Loads nothing of the inspector unless an option asks for it. @throws UsageError */
export async function planInspector(given: InspectorValues): Promise<InspectorPlan | undefined> {
  const isAsked = Object.keys(INSPECTOR_OPTIONS).some((option) => Object.hasOwn(given, option))
  return isAsked ? (await import('./plan.ts')).readPlan(given) : undefined
}

export async function watchWith(
  plan: InspectorPlan | undefined,
  listening: Listening,
): Promise<Inspector | undefined> {
  if (plan === undefined) return undefined
  const [{ openInspector }, { watchedOf }] = await Promise.all([
    import('./inspector.ts'),
    import('./watched.ts'),
  ])
  return openInspector(plan, await watchedOf(listening))
}

/** Tells the inspector first, because printing may end the process. */
export function alsoTo(
  inspector: Inspector | undefined,
  tell: (report: DeliveryReport) => void,
): (report: DeliveryReport) => void {
  if (inspector === undefined) return tell
  return (report) => {
    inspector.tell(report)
    tell(report)
  }
}
