import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8, isBytes, WIDE } from '../lib/bytes.ts'
import type { OptionCheck } from '../lib/options.ts'

/** What is sent for a body: text stays text, bytes stay bytes, and any other value becomes JSON text. */
export type SentBody<Body> = Body extends Uint8Array ? Uint8Array<ArrayBuffer> : string

/** The bytes that are signed. */
export function bodyBytes(body: unknown): Uint8Array<ArrayBuffer> {
  if (isBytes(body)) return new Uint8Array(body) // a Buffer's slice() does not copy
  return encodeUtf8(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The body to send, in the type that was passed. */
export function sentBody<Body>(body: Body): SentBody<Body> {
  const sent = isBytes(body) ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body)
  return sent as SentBody<Body> // each arm is one of the type's
}

/** Returns bytes if bytes were passed, otherwise text. */
export function sentAs<Body>(given: Body, bytes: Uint8Array): SentBody<Body> {
  return (isBytes(given) ? bytes : new TextDecoder().decode(bytes)) as SentBody<Body> // as the line says
}

/**
 * Accepts text, bytes, or any value that JSON can represent. Refuses ArrayBuffers and views with wider
 * elements, which are usually mistakes. @throws ListenerConfigError
 */
export const aBody: OptionCheck = (value, option) => {
  const isBuffer = /Buffer\]$|View\]$/.test(Object.prototype.toString.call(value))
  if (isBytes(value) || (!isBuffer && JSON.stringify(value) !== undefined)) return
  throw new ListenerConfigError(option, 'must be text, or the bytes to send, or a value to send as JSON')
}

export const aText: OptionCheck = (value, option) => {
  if (typeof value !== 'string') throw new ListenerConfigError(option, 'must be text')
}

/** Wrong values are allowed, because tests need to sign them. */
export const anything: OptionCheck = () => {}

/** The same for a text in a header or URL, which hold only bytes: another character would be signed as another text. */
export const anyBytes: OptionCheck = (value, option) => {
  if (typeof value === 'string' && WIDE.test(value)) {
    throw new ListenerConfigError(
      option,
      'has a character above U+00FF, which neither a header nor a URL holds',
    )
  }
}
