import { z } from '@hono/zod-openapi'

/**
 * Any string, with the listed words as suggestions. Clients and stored rows must tolerate words that they do not know
 * (specification, 2 and 9).
 */
export type OpenEnum<Word extends string> = Word | (string & {})

/** For responses. Requests use `z.enum(words)`, because a client cannot invent words. */
export function openEnum<const Words extends readonly [string, ...string[]]>(words: Words) {
  const schema: z.ZodType<OpenEnum<Words[number]>> = z.union([z.enum(words), z.string()])
  return schema
}

/** `PREFIX_A`, `PREFIX_B`, …, as the specification abbreviates them. */
export function prefixed<const Prefix extends string, const Endings extends readonly [string, ...string[]]>(
  prefix: Prefix,
  endings: Endings,
) {
  // `map` loses the tuple's length.
  return endings.map((ending) => `${prefix}_${ending}`) as [`${Prefix}_${Endings[number]}`]
}
