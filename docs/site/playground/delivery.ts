import type { Delivery } from 'hookgate'
import { type HeaderLines, readHeaderLines } from '../../../cli/commands/verify/header-lines.ts'

/**
 * A pasted delivery, as an adapter would pass it on.
 * @throws SyntaxError for a line that is not a header.
 */
export function asDelivery(headerText: string, body: Uint8Array): Delivery {
  const { method = 'POST', headers } = readHeaders(headerText)
  return {
    method,
    header(name) {
      const values = headers.get(name) ?? []
      return values.length > 1 ? values : values[0]
    },
    body,
    sourceIp: undefined,
  }
}

/** Each header with its values. @throws SyntaxError for a line that is not a header. */
export function headerPairs(headerText: string): (readonly [name: string, values: readonly string[]])[] {
  return [...readHeaders(headerText).headers]
}

function readHeaders(text: string): HeaderLines {
  const read = readHeaderLines(text.split(/\r?\n/).filter((line) => line.trim() !== ''))
  if (read === undefined) throw new SyntaxError('Write each header as Name: value, on a line of its own.')
  return read
}
