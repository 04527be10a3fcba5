/**
 * Any result of `JSON.parse`. Numbers are doubles: `1e400` is Infinity, and long integers are rounded.
 *
 * @example
 * ```ts
 * const payload: Json = JSON.parse(text)
 * ```
 */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
