import { firstValue, type Inspected } from './inspected.ts'

/** HAR requests cannot hold bytes. NDJSON is the lossless export. */
const NOT_TEXT =
  'The body is not UTF-8, and is shown with replacement characters. Export NDJSON for its bytes.'

/** Exports masked deliveries as HTTP Archive 1.2. Leaves out credentials, as browsers do. */
export function toHar(deliveries: readonly Inspected[], origin: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'hookgate', version: '1' },
      entries: deliveries.map((delivery) => entryOf(delivery, origin)),
    },
  }
}

function entryOf(delivery: Inspected, origin: string): object {
  const { receive, total } = delivery.ms
  const spent = receive ?? 0
  return {
    startedDateTime: delivery.time,
    time: total,
    request: requestOf(delivery, origin),
    response: {
      status: delivery.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [],
      content: { size: 0, mimeType: 'x-unknown' },
      redirectURL: '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: spent, wait: Math.max(0, total - spent), receive: 0 },
    comment: `${delivery.verdict}${delivery.reason === null ? '' : `: ${delivery.reason}`}`,
  }
}

function requestOf({ method, path, headers, body }: Inspected, origin: string): object {
  const text = Buffer.from(body).toString('utf8')
  const isText = Buffer.from(text).equals(body)
  return {
    method,
    url: origin + path,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    headers: headers
      .filter(([name]) => !/^(authorization|cookie|proxy-authorization)$/i.test(name))
      .map(([name, value]) => ({ name, value })),
    queryString: [],
    headersSize: -1,
    bodySize: body.byteLength,
    postData: {
      mimeType: firstValue(headers, 'content-type') ?? 'application/octet-stream',
      text,
      ...(!isText && { comment: NOT_TEXT }),
    },
  }
}
