import type { Json } from '../lib/json.ts'
import type { Reply } from '../reply.ts'

const LONGEST_ECHO = 4096

/**
 * Echoes a handshake's text as plain text. Undefined if the text is missing or too long.
 *
 * @example
 * ```ts
 * const answer: Handshake['answer'] = ({ query }) => textReply(query('challenge'))
 * ```
 */
export function textReply(text: unknown): Reply | undefined {
  if (typeof text !== 'string' || text === '' || text.length > LONGEST_ECHO) return undefined
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: text,
  }
}

/**
 * A JSON reply.
 *
 * @example
 * ```ts
 * const answer: Handshake['answer'] = ({ header }) => jsonReply({ verification: header('x-challenge') ?? '' })
 * ```
 */
export function jsonReply(value: Json): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/**
 * A reply without a body.
 *
 * @example
 * ```ts
 * const answer: Handshake['answer'] = ({ method }) => (method === 'HEAD' ? emptyReply(200) : undefined)
 * ```
 */
export function emptyReply(status: number, headers: Reply['headers'] = {}): Reply {
  return { status, headers, body: '' }
}
