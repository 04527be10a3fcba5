/** Any result of `JSON.parse`. Numbers are doubles: `1e400` is Infinity, and long integers are rounded. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json }
