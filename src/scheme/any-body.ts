import { parseJson } from '../lib/json-text.ts'
import { decodeUtf8 } from '../lib/utf8.ts'
import type { BodyForm } from './body-form.ts'

/** Accepts any body. The payload is the parsed JSON, or else the text, or null for bytes that are not UTF-8. */
export const ANY_BODY: BodyForm = {
  mediaTypes: ['*'],
  contentType: 'application/json',
  read(body) {
    const parsed = parseJson(body)
    return 'value' in parsed ? parsed.value : (decodeUtf8(body) ?? null)
  },
  write: (event) => new Uint8Array(event),
}
