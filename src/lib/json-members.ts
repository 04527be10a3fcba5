/**
 * Counts the top-level members of a JSON object's text, repeated names included. `JSON.parse` keeps only the last of them,
 * so a higher count reveals duplicates. The text must be valid JSON.
 */
export function countMembers(text: string): number {
  let count = 0
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (inString && code === 0x5c /* \ */) index += 1
    else if (code === 0x22 /* " */) inString = !inString
    else if (inString) continue
    else if (code === 0x3a /* : */ && depth === 1) count += 1
    // `{` and `[` are 0x7b and 0x5b, `}` and `]` are 0x7d and 0x5d: each pair differs only in bit 0x20.
    else if ((code | 0x20) === 0x7b) depth += 1
    else if ((code | 0x20) === 0x7d) depth -= 1
  }
  return count
}
