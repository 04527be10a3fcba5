import { readCurl } from './curl.ts'
import { isRawHttp, readRawHttp } from './raw-http.ts'
import { readRecorded } from './recorded.ts'
import type { PastedRequest } from './request.ts'

/**
 * Reads one pasted request. The caller limits its length.
 * @throws SyntaxError if the text is not a request. The message says what to paste instead.
 */
export function readPasted(text: string): PastedRequest {
  const begin = text.slice(0, 200).trimStart()
  if (/^(?:\$ +)?curl(?:\.exe)?\s/.test(begin)) return readCurl(text.trimStart().replace(/^\$ +/, ''))
  if (begin.startsWith('{')) return readRecorded(text)
  const request = text.trimStart()
  if (isRawHttp(request)) return readRawHttp(request)
  throw new SyntaxError(
    'Paste a curl command, an HTTP request with its first line, a HAR, or a record of hookgate.',
  )
}
