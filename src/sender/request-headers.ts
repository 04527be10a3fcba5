import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ListenerConfigError } from '../errors.ts'

type HeaderTexts = { readonly [name: string]: string }

/** Headers that belong to one connection: they control framing and routing. */
export const CONNECTION_HEADER: RegExp =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/**
 * Merges the endpoint's headers with the signed ones, which take precedence.
 *
 * @throws ListenerConfigError for a header that cannot be sent, and for one of the connection, because customers may enter an
 * endpoint's headers. The message does not quote its value.
 */
export function requestHeaders(own: HeaderTexts, signed: HeaderTexts): HeaderTexts {
  const lowered = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const)
  const reserved = lowered.find(([name]) => CONNECTION_HEADER.test(name))
  if (reserved) throw new ListenerConfigError('headers', `must not set ${reserved[0]}`)
  const headers: HeaderTexts = { ...Object.fromEntries(lowered), ...signed }
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw new ListenerConfigError(
        'headers',
        `cannot send ${JSON.stringify(name.slice(0, 40))}: it has characters that headers must not contain`,
      )
    }
  }
  return headers
}
