import { ListenerConfigError } from '../errors.ts'
import { callHook } from '../lib/hooks.ts'
import { tracingChannel } from '../lib/tracing.ts'

/**
 * Called at the start and at the end of an operation, with the same object. More of its fields are set at the
 * end.
 */
export interface ChannelObserver<Fields extends object> {
  start?(fields: Fields): void
  end(fields: Fields): void
}

/**
 * Passes a channel's operations to an observer. Drops errors that the observer throws, because Node would end
 * the process.
 */
export function subscribe<Fields extends object>(
  name: string,
  observer: ChannelObserver<Fields>,
): () => void {
  const channel = tracingChannel(name)
  if (channel === undefined) {
    throw new ListenerConfigError(
      'instrument',
      'this runtime has no node:diagnostics_channel; on Workers, set the flag nodejs_compat',
    )
  }
  // The publisher determines the type of the channel's fields: hence the casts.
  const subscribers = {
    start: (fields: object) => callHook(() => observer.start?.(fields as Fields)),
    asyncEnd: (fields: object) => callHook(() => observer.end(fields as Fields)),
  }
  channel.subscribe(subscribers)
  return () => void channel.unsubscribe(subscribers)
}
