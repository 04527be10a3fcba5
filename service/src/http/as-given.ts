import { z } from '@hono/zod-openapi'

/*
 * Objects with members of any name, kept as given. zod's `record` and `looseObject` silently drop a member named
 * `__proto__`, which is valid JSON.
 */

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Accepts any members, up to so many characters of JSON. Those that `known` lists must match it. */
export function anyMembers<Known extends z.ZodObject>(known?: Known, most?: number) {
  return z
    .custom<z.infer<Known> & Record<string, unknown>>(isObject, 'must be an object')
    .superRefine((given, { addIssue }) => {
      if (most !== undefined && most < lengthOf(given))
        addIssue({ code: 'custom', message: `must have at most ${most} characters of JSON` })
      for (const issue of known?.loose().safeParse(given).error?.issues ?? []) addIssue({ ...issue })
    })
    .openapi({ type: 'object', additionalProperties: {} })
}

/** The characters of its JSON. Infinity if it is nested too deeply to be written. */
function lengthOf(given: object): number {
  try {
    return JSON.stringify(given).length
  } catch {
    return Infinity
  }
}

/** Accepts members of any name, whose values are strings. */
export function texts() {
  return z
    .custom<Record<string, string>>(isObject, 'must be an object')
    .superRefine((given, { addIssue }) => {
      const wrong = Object.entries(given).filter(([, text]) => typeof text !== 'string')
      for (const [name] of wrong) addIssue({ code: 'custom', path: [name], message: 'must be a string' })
    })
    .openapi({ type: 'object', additionalProperties: { type: 'string' } })
}

/** A record of at most `most` entries, which are counted before any is read. Refuses the key `__proto__`. */
export function recordOf<Value extends z.ZodType>(value: Value, most: number) {
  return z
    .preprocess(
      (given, { addIssue }) => {
        if (!isObject(given)) return given
        if (Object.hasOwn(given, '__proto__'))
          addIssue({ code: 'custom', path: ['__proto__'], message: 'is not allowed as a key' })
        if (Object.keys(given).length <= most) return given
        addIssue({ code: 'custom', message: `must have at most ${most} entries` })
        return z.NEVER
      },
      z.record(z.string(), value),
    )
    .openapi({ maxProperties: most })
}
