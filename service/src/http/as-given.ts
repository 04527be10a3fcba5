import { z } from '@hono/zod-openapi'

/*
 * Objects whose members have any name, kept as they are given. zod's own (`record`, `looseObject`) leave out the member
 * `__proto__` without a word, and in JSON that is a name like any other.
 */

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Members of any name and value; those of `known`, if they are there, as it says. */
export function anyMembers<Known extends z.ZodObject>(known?: Known) {
  return z
    .custom<z.infer<Known> & Record<string, unknown>>(isObject, 'must be an object')
    .superRefine((given, { addIssue }) => {
      for (const issue of known?.loose().safeParse(given).error?.issues ?? []) addIssue({ ...issue })
    })
    .openapi({ type: 'object', additionalProperties: {} })
}

/** Texts by any name. */
export function texts() {
  return z
    .custom<Record<string, string>>(isObject, 'must be an object')
    .superRefine((given, { addIssue }) => {
      const wrong = Object.entries(given).filter(([, text]) => typeof text !== 'string')
      for (const [name] of wrong) addIssue({ code: 'custom', path: [name], message: 'must be a text' })
    })
    .openapi({ type: 'object', additionalProperties: { type: 'string' } })
}

/** A record of which `__proto__` is no key. */
export function recordOf<Value extends z.ZodType>(value: Value) {
  return z.preprocess(
    (given, { addIssue }) => {
      if (isObject(given) && Object.hasOwn(given, '__proto__'))
        addIssue({ code: 'custom', path: ['__proto__'], message: 'is no key here' })
      return given
    },
    z.record(z.string(), value),
  )
}
