const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
/** `{` and `[` end in 0x7b and 0x5b, `}` and `]` in 0x7d and 0x5d: the bit between them is that of letter case. */
const OPENING = 0x7b
const CLOSING = 0x7d
const CASE_BIT = 0x20

/**
 * How many members an object's text writes at its top level, each time a name is written. `JSON.parse` keeps only the
 * last of those that repeat, so the two counts tell. The text must be valid JSON.
 */
export function countMembers(text: string): number {
  let count = 0
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString && code === BACKSLASH) index += 1
    else if (code === QUOTE) inString = !inString
    else if (inString) continue
    else if (code === COLON && depth === 1) count += 1
    else if ((code | CASE_BIT) === OPENING) depth += 1
    else if ((code | CASE_BIT) === CLOSING) depth -= 1
  }
  return count
}
