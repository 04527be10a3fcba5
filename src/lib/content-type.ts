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

// All from what no type, coding or parameter has, such as a blank that follows no divider, so that no markup and no sentence is
// shown; or else what follows 100 characters.
const NOT_SHOWN = /[^\w/+.;,="-](?<![;,] ).*|(?<=^.{100}).+/s

/** How the operator is told what a header says. Dots stand for all that follows what does not look like one. */
export function shownType(value: string): string {
  return JSON.stringify(value.replace(NOT_SHOWN, '...'))
}
