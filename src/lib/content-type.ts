const LONGEST_CONTENT_TYPE = 256

// One media type, then parameters (RFC 9110 5.6.6, 8.3.1). Each blank can match in one place only, so it takes linear time.
const MEDIA_TYPE =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)*$/i
// For text that MEDIA_TYPE has matched: from semicolon to semicolon, over those in quotes.
const PARAMETER = /;[ \t]*([^=; \t]*)=?(?:"((?:[^"\\]|\\.)*)"|([^;" \t]*))/g

/** The media type in lower case; undefined when it is malformed, or names another charset than UTF-8. */
export function mediaTypeOf(value: string): string | undefined {
  if (value === 'application/json') return value
  const type = value.length > LONGEST_CONTENT_TYPE ? undefined : MEDIA_TYPE.exec(value)?.[1]
  if (type === undefined) return undefined
  for (const [, name, quoted, bare] of value.toLowerCase().matchAll(PARAMETER)) {
    if (name === 'charset' && (quoted?.replace(/\\(.)/g, '$1') ?? bare) !== 'utf-8') return undefined
  }
  return type.toLowerCase()
}
