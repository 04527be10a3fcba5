/** Strings, punctuation and everything else. The alternatives begin with different characters, hence linear time. */
const TOKENS = /"(?:[^"\\]|\\.)*"?|[[\]{},:]|[^\s"[\]{},:]+/gs

/**
 * Indents valid JSON by two spaces. Numbers and strings stay as they were written: parsing and printing would turn `1.0` into
 * `1` and round long numbers.
 */
export function prettyJson(json: string): string {
  let [text, depth, previous] = ['', 0, '']
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of json.matchAll(TOKENS)) {
    const isEmpty = (token === '}' && previous === '{') || (token === ']' && previous === '[')
    if (token === '}' || token === ']') depth -= 1
    if (isEmpty) text += token
    else if (token === '}' || token === ']') text += newLine() + token
    else if (token === ':') text += ': '
    else if (token === ',') text += token
    else text += (previous === ',' || previous === '{' || previous === '[' ? newLine() : '') + token
    if (token === '{' || token === '[') depth += 1
    previous = token
  }
  return text
}
