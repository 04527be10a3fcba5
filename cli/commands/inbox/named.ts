import type { JobName } from '../../../src/inbox/index.ts'
import { UsageError } from '../../command-line/exit.ts'

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
