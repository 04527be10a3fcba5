import type { Listener } from './listener.ts'

/**
 * Whether a value is a result of `defineListener`. Callers in plain JavaScript and lookups may pass anything. Apart from
 * `listener.ts`, because `hookgate/listeners` needs nothing else of it.
 */
export function isListener(value: unknown): value is Listener<unknown> {
  return typeof (value as Listener | null | undefined)?.nextOwner === 'function'
}
