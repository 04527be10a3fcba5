import { type Delivery, headerOf } from '../delivery.ts'

/**
 * The value of a header that may be a list, or a token with `, `. Repeated lines are joined with `, ` (RFC 9110 5.3). A web
 * runtime reports a value that contains `, ` as repeated, and joining restores it.
 */
export function fieldText(delivery: Delivery, name: string): string | undefined {
  const value = headerOf(delivery, name)
  return typeof value === 'object' ? value.join(', ') : value
}
