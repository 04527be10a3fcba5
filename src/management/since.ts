import { ListenerConfigError } from '../errors.ts'
import type { RecoverableApi } from './recoverable.ts'

const DAY_MS = 86_400_000
/** For a recovery that is repeated with its time. Each event is looked at again when it is its turn. */
const GRACE_MS = 900_000

/**
 * What ran before, and is forgotten, would run again.
 *
 * @throws ListenerConfigError for a time that is further back than the endpoint remembers, or than the sender keeps.
 */
export function checkSince(
  {
    api,
    since,
    until,
  }: { readonly api: RecoverableApi; readonly since: Date; readonly until?: Date | undefined },
  { now, rememberedMs }: { readonly now: number; readonly rememberedMs: number },
): void {
  const ageMs = now - since.getTime()
  if (ageMs < 0) throw new ListenerConfigError('since', 'is in the future')
  if (until !== undefined && until < since) throw new ListenerConfigError('until', 'is before since')
  const refuse = (who: string, keptMs: number) => {
    const earliest = new Date(now - keptMs).toISOString()
    throw new ListenerConfigError('since', `must be ${earliest} at the earliest: ${who}`)
  }
  if (ageMs > rememberedMs + GRACE_MS)
    refuse('the listener remembers no further back, so what ran would run again', rememberedMs)
  const { keepsDays } = api.missed
  if (ageMs > keepsDays * DAY_MS + GRACE_MS)
    refuse(`${api.sender} keeps events for ${keepsDays} days`, keepsDays * DAY_MS)
}
