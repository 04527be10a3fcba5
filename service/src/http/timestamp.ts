import { z } from '@hono/zod-openapi'

/** ISO 8601, or null. */
export const timestamp = z.iso.datetime().nullable()

export function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}
