const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g

/**
 * Whether an object in this JSON text names one of its own members twice, at its top level. `JSON.parse` keeps the
 * last one silently. The text must be valid JSON.
 */
export function hasRepeatedMembers(text: string): boolean {
  const names = new Set<unknown>()
  let depth = 0
  let previous = ''
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === ':' && depth === 1) {
      const name: unknown = previous.includes('\\') ? JSON.parse(previous) : previous.slice(1, -1)
      if (names.has(name)) return true
      names.add(name)
    }
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    previous = token
  }
  return false
}
