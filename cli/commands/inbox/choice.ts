import type { JobName, ListedState } from '../../../src/inbox/index.ts'
import type { OptionRows } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/exit.ts'
import { timeFrom } from '../../command-line/time.ts'

/** Which jobs: options of several commands. */
export const CHOICE_OPTIONS = {
  type: { value: 'TYPE', says: 'Only events of this type: invoice.paid, push, …' },
  listener: { value: 'ID', says: 'Only events of this listener, by its id: stripe, github, …' },
  before: {
    value: 'TIME|ID',
    many: true,
    says: 'Only what was put before: 2026-11-29, 2026-11-29T13:00Z, or a job',
  },
} satisfies OptionRows

export const EVENT_OPTION = {
  event: { value: 'ID', says: 'With --listener: the event of this ID, as the sender names it' },
} satisfies OptionRows

type Flags = { readonly [State in ListedState]?: boolean }

/** @throws UsageError if there are several. */
export function stateOf(given: Flags): ListedState | undefined {
  const states = (['waiting', 'running', 'held', 'dead', 'done'] as const).filter((state) => given[state])
  if (states.length > 1) throw new UsageError(`give --${states.join(' or --')}, not both`)
  return states[0]
}

const JOB = /^job_[\w-]{32}$/

/** @throws UsageError for anything but a time or a job. */
export function placeBefore(text: string): string | Date {
  if (JOB.test(text)) return text
  const time = timeFrom(text)
  if (time !== undefined) return time
  throw new UsageError(
    '--before takes a date (2026-11-29), a time with its zone (2026-11-29T13:00Z), or the ID of a listed job',
  )
}

export const NO_SUCH_JOB =
  'no such job: it was forgotten, or is remembered no longer; hookgate inbox list shows those that are there'

const HOW = 'an ID that hookgate inbox list prints, or --listener ID --event ID'

/** The job or the event that is given. @throws UsageError if there is none, or both. */
export function nameOf(
  { listener, event }: { readonly listener?: string; readonly event?: string },
  id: string,
): JobName {
  if (id !== '' && (listener ?? event) !== undefined) throw new UsageError(`give ${HOW}, not both`)
  if (id !== '') return id
  if (listener === undefined || event === undefined) throw new UsageError(`needs ${HOW}`)
  return { listener, eventId: event }
}
