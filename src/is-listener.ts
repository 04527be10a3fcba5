import type { Listener } from './listener.ts'

/** Whether a value is a result of `defineListener`: callers in plain JavaScript, lookups and databases may pass anything. */
export function isListener(value: unknown): value is Listener<unknown> {
  return typeof (value as Listener | null | undefined)?.nextOwner === 'function'
}
