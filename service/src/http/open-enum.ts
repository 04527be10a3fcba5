import { z } from '@hono/zod-openapi'

/**
 * One of the listed words, or one that is not listed yet: clients and stored rows must survive words that they do not
 * know (specification, 2 and 9). Editors still offer the listed ones.
 */
export type OpenEnum<Word extends string> = Word | (string & {})

/** For what the service answers. What it is given is judged by `z.enum(words)`: a client cannot invent words. */
export function openEnum<const Words extends readonly [string, ...string[]]>(words: Words) {
  const schema: z.ZodType<OpenEnum<Words[number]>> = z.union([z.enum(words), z.string()])
  return schema
}

/** `PREFIX_A`, `PREFIX_B`, …, as the specification abbreviates them. */
export function prefixed<const Prefix extends string, const Endings extends readonly [string, ...string[]]>(
  prefix: Prefix,
  endings: Endings,
) {
  // `map` forgets how many there are.
  return endings.map((ending) => `${prefix}_${ending}`) as [`${Prefix}_${Endings[number]}`]
}
