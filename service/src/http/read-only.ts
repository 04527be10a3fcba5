import { z } from '@hono/zod-openapi'

/** An object all of whose fields are returned by the service, and set by no client (specification, 2). */
export function readOnlyObject<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const marked = Object.entries(shape).map(([name, schema]) => [name, schema.openapi({ readOnly: true })])
  // `fromEntries` forgets the names.
  return z.object(Object.fromEntries(marked) as Shape)
}
