/** What `JSON.parse` can return. Numbers are doubles: `1e400` is Infinity, long integers are rounded. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
