import { z } from '@hono/zod-openapi'

/**
 * A named schema or null. `.nullable()` would make the named schema itself nullable, for every reference.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()])
}
