import type { Json } from '../lib/json.ts'
import { parseJson } from '../lib/json-text.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import type { BodyForm } from './body-form.ts'

/** Accepts JSON and JSON Lines. Several lines become a list, a single line becomes its value. */
export const JSON_OR_LINES: BodyForm = {
  mediaTypes: ['application/json', 'application/x-ndjson', 'application/jsonl', 'application/x-jsonlines'],
  contentType: 'application/json',
  read(body) {
    const parsed = parseJson(body)
    return 'value' in parsed ? parsed.value : linesOf(decodeUtf8(body) ?? '')
  },
  write: (event) => new Uint8Array(event),
}

/** Undefined if there are no lines, or if a line is not JSON. */
function linesOf(text: string): Json | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    const values: Json[] = lines.map((line) => JSON.parse(line))
    return values.length > 0 ? values : undefined
  } catch {
    return undefined
  }
}
