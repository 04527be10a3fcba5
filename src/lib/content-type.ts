const LONGEST_CONTENT_TYPE = 256

// A media type and its parameters (RFC 9110 5.6.6, 8.3.1). Unambiguous, hence linear time.
const MEDIA_TYPE =
  /^[ \t]*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)[ \t]*(?:;[ \t]*(?:[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*")[ \t]*)?)*$/i
// Matches one parameter at a time, after MEDIA_TYPE has matched. A quoted value may contain semicolons.
const PARAMETER = /;[ \t]*([^=; \t]*)=?(?:"((?:[^"\\]|\\.)*)"|([^;" \t]*))/g

// The label that everybody writes, and the one of the WHATWG's that some write in its place.
const UTF_8 = /^utf-?8$/

/** The media type in lower case. Undefined if it is malformed or names a charset other than UTF-8. */
export function mediaTypeOf(value: string): string | undefined {
  if (value === 'application/json') return value
  const type = value.length > LONGEST_CONTENT_TYPE ? undefined : MEDIA_TYPE.exec(value)?.[1]
  if (type === undefined) return undefined
  for (const [, name, quoted, bare] of value.toLowerCase().matchAll(PARAMETER)) {
    if (name === 'charset' && !UTF_8.test(quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '')) return undefined
  }
  return type.toLowerCase()
}

const LONGEST_SHOWN = 100
// A type or codings, and three parameters: few words without blanks, in which no sentence and no markup fits.
const SHOWN = /^[\w/+.-]*(?:[;,] ?[\w/+.="-]*){0,3}/

/** How the operator is told what a header says. Dots stand for all that follows what does not look like one. */
export function shownType(value: string): string {
  const shown = SHOWN.exec(value.slice(0, LONGEST_SHOWN))?.[0] ?? ''
  return JSON.stringify(shown === value ? value : `${shown}...`)
}
