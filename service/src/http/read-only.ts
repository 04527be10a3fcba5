import { z } from '@hono/zod-openapi'

/** An object whose fields are all read-only (specification, 2). */
export function readOnlyObject<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const marked = Object.entries(shape).map(([name, schema]) => [name, schema.openapi({ readOnly: true })])
  // `fromEntries` loses the key types.
  return z.object(Object.fromEntries(marked) as Shape)
}
