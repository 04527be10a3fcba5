import { z } from '@hono/zod-openapi'

/**
 * A named schema, or null. `.nullable()` would write the null into the schema of that name, for everybody who refers to
 * it.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()])
}
