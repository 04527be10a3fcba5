import { z } from '@hono/zod-openapi'

/** ISO 8601, or null. */
export const timestamp = z.iso.datetime().nullable()

/** As stored. */
export type Dated<Shown> = Omit<Shown, 'createdAt'> & { readonly createdAt: Date }

/** As the response shows it. */
export function withIso<Row extends { readonly createdAt: Date }>({ createdAt, ...row }: Row) {
  return { ...row, createdAt: iso(createdAt) }
}

export function iso(date: Date | null): string | null {
  return date === null ? null : date.toISOString()
}
