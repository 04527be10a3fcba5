const LONGEST_CONTENT_TYPE = 256

// A media type and its parameters (RFC 9110 5.6.6, 8.3.1), of which the charset is UTF-8, or `utf8`, the WHATWG's label of it that some
// write. Each character in quotes may be escaped. Unambiguous, hence linear time.
const MEDIA_TYPE =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*(?:(?:charset=(?:utf-?8|"\\?u\\?t\\?f(?:\\?-)?\\?8")|(?!charset=)[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))[ \t]*)?)*$/i

/** The media type in lower case. Undefined if it is malformed or names a charset other than UTF-8. */
export function mediaTypeOf(value: string): string | undefined {
  if (value === 'application/json') return value
  return value.length > LONGEST_CONTENT_TYPE ? undefined : MEDIA_TYPE.exec(value)?.[1]?.toLowerCase()
}

// From the first character that no type, coding or parameter has: so no markup is shown, and blanks only behind a divider.
const NOT_SHOWN = /[^\w/+.;,="-](?<![;,] ).*/s

/** How the operator is told what a header says, as far as it looks like one: at most 100 characters. */
export function shownType(value: string): string {
  return JSON.stringify(value.slice(0, 100).replace(NOT_SHOWN, '...'))
}
