import { ListenerConfigError } from '../errors.ts'
import { callHook } from '../lib/hooks.ts'
import { tracingChannel } from '../lib/tracing.ts'

/** What is done at the start and at the end of an operation. Both get the same object, with more in it at the end. */
export interface Observer<Fields extends object> {
  start?(fields: Fields): void
  end(fields: Fields): void
}

/** Passes a channel's operations to an observer. What the observer throws is dropped: Node would end the process. */
export function subscribe<Fields extends object>(name: string, observer: Observer<Fields>): () => void {
  const channel = tracingChannel(name)
  if (channel === undefined) {
    throw new ListenerConfigError(
      'instrument',
      'this runtime has no node:diagnostics_channel; on Workers, set the flag nodejs_compat',
    )
  }
  // The channel's fields are those that its publisher gives: hence the casts.
  const subscribers = {
    start: (fields: object) => callHook(() => observer.start?.(fields as Fields)),
    asyncEnd: (fields: object) => callHook(() => observer.end(fields as Fields)),
  }
  channel.subscribe(subscribers)
  return () => void channel.unsubscribe(subscribers)
}
