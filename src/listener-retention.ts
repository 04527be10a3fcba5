import { ListenerConfigError } from './errors.ts'
import { replayWindowSeconds } from './limits.ts'
import type { ListenerDefaults } from './listener-defaults.ts'
import type { ListenerOptions } from './listener-options.ts'
import type { SenderScheme } from './scheme/code-scheme.ts'

/**
 * Requires that an event is remembered for as long as a captured delivery of it still passes the checks.
 *
 * Without a signed attempt time, that is forever. The default retention is then 30 days, and a store that evicts records
 * only has to keep them for the replay window of hookgate's scheme.
 *
 * @throws ListenerConfigError
 */
export function checkRetention<Payload>(options: ListenerOptions<Payload>, defaults: ListenerDefaults): void {
  const { auth, store } = options
  const { toleranceSeconds = defaults.toleranceSeconds, retentionSeconds = defaults.retentionSeconds } =
    options
  const scheme = auth.sender?.scheme
  const replayable = replayableSeconds(scheme, toleranceSeconds)
  if (retentionSeconds < replayable) {
    throw new ListenerConfigError(
      'retentionSeconds',
      `must be at least ${replayable}: that long a delivery can be replayed`,
    )
  }
  const kept = scheme === undefined ? replayable : Math.min(replayable, replayWindowSeconds())
  if ((store.replayWindowSeconds ?? Infinity) < kept) {
    throw new ListenerConfigError(
      'store',
      `its replayWindowSeconds must be at least ${kept}: that long a delivery can be replayed`,
    )
  }
}

/** How long the same bytes keep passing the checks. If they pass forever, the replay window of hookgate's scheme. */
function replayableSeconds(scheme: SenderScheme | undefined, toleranceSeconds: number): number {
  const shortest = replayWindowSeconds()
  if (!Number.isFinite(toleranceSeconds)) return shortest
  const ofEvent = scheme?.timestamp?.of === 'event'
  return ofEvent ? Math.max(toleranceSeconds, shortest) : replayWindowSeconds(toleranceSeconds)
}
