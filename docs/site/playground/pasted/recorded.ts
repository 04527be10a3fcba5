import { memberOf, textOf as textIn } from '../../../../src/lib/member-of.ts'
import { bytesOf, checkedHeaders, type Header, type PastedRequest, withoutCredentials } from './request.ts'

/** As cli/inspector/mask.ts writes it. */
const MASKED = /\([0-9]+ characters hidden\)/
const HIDDEN = 'Its signature is hidden, as in every export of the inspector: use a file of listen --record.'

/**
 * Reads the last request of a HAR, of the inspector's NDJSON or of a file of `listen --record`.
 * @throws SyntaxError for other JSON, and for a body that was not recorded in full.
 */
export function readRecorded(text: string): PastedRequest {
  const value = parsed(text) ?? parsed(text.trimEnd().split('\n').at(-1) ?? '')
  const entries = memberOf(memberOf(value, 'log'), 'entries')
  const request = Array.isArray(entries) ? memberOf(entries.at(-1), 'request') : memberOf(value, 'request')
  const read = request === undefined ? ofRecord(value) : ofHar(request)
  if (read.headers.some(([, header]) => MASKED.test(header))) throw new SyntaxError(HIDDEN)
  return read
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ofHar(request: unknown): PastedRequest {
  const given = memberOf(request, 'headers')
  const data = memberOf(request, 'postData')
  const clean = withoutCredentials(textIn(request, 'url') ?? '')
  const list = Array.isArray(given) ? given : []
  const headers = list.map((each): Header => [textIn(each, 'name') ?? '', textIn(each, 'value') ?? ''])
  const text = textIn(data, 'text') ?? ''
  const isBase64 = [textIn(data, 'encoding'), textIn(data, '_encoding')].includes('base64')
  const body = isBase64 ? fromBase64(text) : new TextEncoder().encode(text)
  const size = memberOf(request, 'bodySize')
  return {
    from: 'a HAR',
    method: textIn(request, 'method') ?? 'POST',
    url: clean.url,
    headers: checkedHeaders([...headers.filter(([name]) => !name.startsWith(':')), ...clean.headers]),
    body,
    ...(typeof size === 'number' &&
      size > 0 &&
      size !== body.length && { doubt: `The HAR says ${size} bytes, and the body has ${body.length}.` }),
  }
}

function ofRecord(value: unknown): PastedRequest {
  const given = memberOf(value, 'headers')
  const body = textIn(value, 'bodyBase64')
  if (!Array.isArray(given) || body === undefined) {
    throw new SyntaxError('This JSON is no request: paste a HAR, or a line of listen --record.')
  }
  if (memberOf(value, 'truncated') === true) throw new SyntaxError('This body was not recorded in full.')
  return {
    from: 'a record of hookgate',
    method: textIn(value, 'method') ?? 'POST',
    url: undefined,
    headers: checkedHeaders(given.map((pair): Header => [textIn(pair, 0) ?? '', textIn(pair, 1) ?? ''])),
    body: fromBase64(body),
  }
}

function fromBase64(text: string): Uint8Array {
  try {
    return bytesOf(atob(text))
  } catch {
    throw new SyntaxError('The body is not base64.')
  }
}
