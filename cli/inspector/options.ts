import type { OptionTable } from '../command.ts'
import type { DeliveryReport } from '../delivery-report.ts'
import type { Inspector } from './inspector.ts'
import type { InspectorPlan } from './plan.ts'
import type { Listening } from './watched.ts'

export const DEFAULT_UI_PORT = 8788
export const DEFAULT_KEEP = 200

export interface InspectorValues {
  readonly ui?: boolean
  readonly 'ui-port'?: string
  readonly open?: boolean
  readonly keep?: string
  readonly record?: string
  readonly load?: string
  readonly key?: string
}

export const INSPECTOR_OPTIONS: OptionTable<InspectorValues> = {
  ui: {
    says: 'Open a local page that shows deliveries live, says why one was refused, and sends them again.',
  },
  'ui-port': {
    value: 'N',
    says: `The port of that page; 0 picks a free one (default ${DEFAULT_UI_PORT}, or the next free one)`,
  },
  open: { says: 'Open that page in your browser.' },
  keep: {
    value: 'N',
    says: `How many deliveries it keeps (default ${DEFAULT_KEEP}, at most 16 MB together)`,
  },
  record: { value: 'FILE', says: 'Append every delivery to FILE as NDJSON, bodies and signatures included' },
  load: { value: 'FILE', says: 'Show the deliveries of an earlier --record on the page; implies --ui' },
  key: { value: 'FILE', says: 'The private JWK that signs deliveries which the page sends again' },
}

/** Nothing of the inspector is loaded where no option asks for it. @throws UsageError */
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

/** The inspector hears of each delivery first: what is printed may end the process. */
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
