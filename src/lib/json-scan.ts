/** What a JSON text holds, up to where its counting stopped. */
export interface JsonCounts {
  /** Object members and array elements, and one more for each object or array. */
  readonly fields: number
  /** The levels that are open there. */
  readonly levels: number
  /** The commas of the outermost object: one for each member but the first, repeated names included. */
  readonly commas: number
}

const NO_LIMITS = { fields: Infinity, levels: Infinity }

/**
 * Counts what a JSON text holds, without parsing it. Stops as soon as there is more of it than `most`. Texts that are not JSON are
 * counted up to their first mistake, where a parser would stop.
 */
export function countJson(
  text: Uint8Array,
  most: Pick<JsonCounts, 'fields' | 'levels'> = NO_LIMITS,
): JsonCounts {
  const { fields: mostFields, levels: mostLevels } = most
  let fields = 0
  let levels = 0
  let commas = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text[index] ?? 0
    if (code === 0x22 /* " */) {
      index = endOfString(text, index + 1)
    } else if (code === 0x2c /* , */) {
      fields += 1
      if (levels === 1) commas += 1
      if (fields > mostFields) break
      // `{` and `[` are 0x7b and 0x5b, `}` and `]` are 0x7d and 0x5d: each pair differs only in bit 0x20.
    } else if ((code | 0x20) === 0x7b) {
      fields += 1
      levels += 1
      if (levels > mostLevels || fields > mostFields) break
    } else if ((code | 0x20) === 0x7d) levels -= 1
  }
  return { fields, levels, commas }
}

/**
 * The index of the quote that ends a string, or else of the line feed, which no JSON string contains, or of the end. So the quotes
 * in a part's header do not hide the JSON after it. Passes over whole bodies: it touches nothing but its own variables.
 */
export function endOfString(text: Uint8Array, start: number): number {
  const { length } = text
  let index = start
  for (; index < length; index += 1) {
    const code = text[index] ?? 0
    if (code === 0x5c /* \ */) index += 1
    else if (code <= 0x22 && (code === 0x22 /* " */ || code === 0x0a)) return index
  }
  return index
}
