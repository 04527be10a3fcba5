import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ListenerConfigError } from '../src/errors.ts'

type HeaderTexts = { readonly [name: string]: string }

/** What decides where a request ends and where it goes: not for an endpoint's own headers, which customers may have typed. */
const RESERVED =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

/**
 * The headers to send: the endpoint's own, and the signed ones, which win.
 *
 * @throws ListenerConfigError for a header that cannot be sent, or that is not for the endpoint to choose. Its value is not quoted.
 */
export function requestHeaders(own: HeaderTexts, signed: HeaderTexts): HeaderTexts {
  const lowered = Object.entries(own).map(([name, value]) => [name.toLowerCase(), value] as const)
  const reserved = lowered.find(([name]) => RESERVED.test(name))
  if (reserved) throw new ListenerConfigError('headers', `must not set ${reserved[0]}`)
  const headers: HeaderTexts = { ...Object.fromEntries(lowered), ...signed }
  for (const [name, value] of Object.entries(headers)) checkHeader(name, value)
  return headers
}

function checkHeader(name: string, value: string): void {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  } catch {
    throw new ListenerConfigError(
      'headers',
      `cannot send ${JSON.stringify(name.slice(0, 40))}: it has characters that no header may have`,
    )
  }
}
