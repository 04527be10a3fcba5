import { z } from '@hono/zod-openapi'
import type { Dependencies } from './dependencies.ts'
import { derivedKey } from './derived-key.ts'
import { PageTokens } from './page-token.ts'

/** Specification, 8.1. */
const [SMALLEST, DEFAULT, LARGEST] = [10, 25, 100]

function clamped(size: number): number {
  return Math.min(Math.max(size, SMALLEST), LARGEST)
}

const sizeRule = 'Default 25. Values below 10 count as 10, above 100 as 100.'
const tokenRule = 'Empty for the first page, then the `nextPageToken` of the previous response.'

/** Not `int()`, which refuses integers above 2^53. They count as 100. */
const whole = <Size extends z.ZodType<number>>(size: Size) =>
  size
    .refine(Number.isInteger, 'must be a whole number')
    .optional()
    .openapi({ type: 'integer', description: sizeRule })

/** For a GET operation. Only digits, because `Number` also accepts an empty string and `0x10`. */
export const pageQuery = z.strictObject({
  page_size: whole(
    z
      .string()
      .regex(/^-?\d+$/, 'must be a whole number')
      .transform((digits) => clamped(Number(digits))), // infinite beyond 10^308
  ),
  page_token: z.string().optional().openapi({ description: tokenRule }),
})

/** For the body of a POST operation. */
const pageBody = {
  page_size: whole(z.number()).nullable(),
  page_token: z.string().nullish().openapi({ description: tokenRule }),
}

export type PageRequest = z.infer<z.ZodObject<typeof pageBody>>

/** The filters of every search for objects with names. */
export const nameFilters = {
  query: z
    .string()
    .optional()
    .openapi({ description: 'Part of the display name or description. Ignores case.' }),
  refs: z
    .array(z.strictObject({ id: z.string() }))
    .optional()
    .openapi({ description: 'Default: all.' }),
}

/** The body of a search: filters and paging. */
export function searchBody<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({ ...pageBody, ...filters })
}

/** `list` and `nextPageToken` (specification, 4.3). */
export function pageOf<Element extends z.ZodType>(element: Element) {
  return z.object({
    list: z.array(element),
    nextPageToken: z.string().openapi({ description: 'Empty when there are no more results.' }),
  })
}

export interface Listing {
  /** A page token is bound to it and to `params`. */
  readonly name: string
  /** The rest of the SELECT: `columns FROM …`. */
  readonly select: string
  /** The condition on rows. Its values are `params`. */
  readonly where: string
  readonly params: readonly unknown[]
  /**
   * The columns to order by. The last one must be unique. The index starts with the columns that `where` fixes,
   * followed by these.
   */
  readonly keys: readonly string[]
  readonly order: 'ASC' | 'DESC'
}

/** The most characters of JSON in a response with more than one element, about 4 MB. */
const MOST_CHARACTERS = 4_000_000

/**
 * Reads one page by keyset pagination. A row that is neither inserted nor deleted meanwhile appears exactly once. A page that
 * is too large is halved, and the next page continues after it.
 *
 * @param show Converts rows to the response: its elements, in the same order, and what they refer to.
 */
export async function listPage<Row, Page extends { readonly list: readonly unknown[] }>(
  { database, secret }: Pick<Dependencies, 'database' | 'secret'>,
  listing: Listing,
  request: PageRequest,
  show: (rows: Row[]) => Page | Promise<Page>,
): Promise<Page & { nextPageToken: string }> {
  const { name, select, where, params, keys, order } = listing
  const tokens = new PageTokens(derivedKey(secret, 'page tokens'), [name, ...params])
  const after = request.page_token ? tokens.read(request.page_token) : []
  const size = clamped(request.page_size ?? DEFAULT)
  const limit = `$${params.length + after.length + 1}`
  const found = await database.query<Row & { cursor: string[] }>(
    `SELECT ARRAY[${keys.map((key) => `${key}::text`).join()}] AS cursor, ${select}
     WHERE (${where}) ${after.length === 0 ? '' : `AND ${beyond(listing)}`}
     ORDER BY ${keys.map((key) => `${key} ${order}`).join()} LIMIT ${limit}`,
    [...params, ...after, size + 1],
  )
  // The rest of a row is what was selected.
  let rows = found.slice(0, size).map(({ cursor: _, ...row }) => row as Row)
  let page = await show(rows)
  while (rows.length > 1 && JSON.stringify(page).length > MOST_CHARACTERS) {
    rows = rows.slice(0, rows.length / 2)
    page = await show(rows)
  }
  const next = found.length > rows.length ? found[rows.length - 1] : undefined
  return { ...page, nextPageToken: next === undefined ? '' : tokens.write(next.cursor) }
}

function beyond({ keys, params, order }: Listing): string {
  const values = keys.map((_, index) => `$${params.length + index + 1}`)
  return `(${keys.join()}) ${order === 'ASC' ? '>' : '<'} (${values.join()})`
}
