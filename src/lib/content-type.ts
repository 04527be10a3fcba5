const LONGEST_CONTENT_TYPE = 256

// A media type and its parameters (RFC 9110 5.6.6, 8.3.1). Unambiguous, hence linear time.
const MEDIA_TYPE =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)*$/i
// Matches one parameter at a time, after MEDIA_TYPE has matched. A quoted value may contain semicolons.
const PARAMETER = /;[ \t]*([^=; \t]*)=?(?:"((?:[^"\\]|\\.)*)"|([^;" \t]*))/g

/** The media type in lower case. Undefined if it is malformed or names a charset other than UTF-8. */
export function mediaTypeOf(value: string): string | undefined {
  if (value === 'application/json') return value
  const type = value.length > LONGEST_CONTENT_TYPE ? undefined : MEDIA_TYPE.exec(value)?.[1]
  if (type === undefined) return undefined
  for (const [, name, quoted, bare] of value.toLowerCase().matchAll(PARAMETER)) {
    if (name === 'charset' && (quoted?.replace(/\\(.)/g, '$1') ?? bare) !== 'utf-8') return undefined
  }
  return type.toLowerCase()
}
