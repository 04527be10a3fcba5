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

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

/** The words of lines such as `A B`. */
export function words<const Lines extends readonly string[]>(...lines: Lines) {
  return lines.flatMap((line) => line.split(' ')) as [Words<Lines[number]>] // `flatMap` loses them
}

/** `PREFIX_A`, `PREFIX_B`, … of lines such as `A B`, as the specification abbreviates them. */
export function prefixed<const Prefix extends string, const Lines extends readonly string[]>(
  prefix: Prefix,
  ...lines: Lines
) {
  return words(...lines).map((word) => `${prefix}_${word}`) as [`${Prefix}_${Words<Lines[number]>}`]
}
