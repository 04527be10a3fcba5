import type { CheckOutcome, Explanation } from '../../src/explain/index.ts'
import { withoutPointer } from '../../src/reason.ts'
import type { Inspected } from './inspected.ts'
import { base64 } from './record.ts'

/** The part of a body that the page shows. Exports hold the whole body. */
const MOST_SHOWN = 256 * 1024

/** A row of the list. */
export function rowOf(delivery: Inspected): object {
  const {
    seq,
    time,
    method,
    path,
    listener,
    verdict,
    reason,
    status,
    eventId,
    eventType,
    unsigned,
    replayOf,
    ms,
    app,
  } = delivery
  return {
    seq,
    time,
    method,
    path: path.slice(0, 200),
    listener,
    verdict,
    reason,
    status,
    eventId,
    eventType,
    unsigned,
    replayOf,
    ms: ms.total,
    app: app && { status: app.status },
  }
}

/** Everything that the page shows of one delivery. Pass a masked one. */
export function detailOf(delivery: Inspected, { checks, likely, token }: Explanation): object {
  const { detail, sourceIp, headers, body, bytes, truncated, ms, app } = delivery
  return {
    ...rowOf(delivery),
    detail: detail && withoutPointer(detail),
    sourceIp,
    headers,
    ...shown(body, truncated),
    bytes,
    kept: body.byteLength,
    checks: checks.map(({ name, says, ok }: CheckOutcome) => ({ name, says, ok })),
    likely,
    token,
    times: ms,
    app: app && { ...app, ...shown(app.body, app.truncated) },
  }
}

function shown(body: Uint8Array, truncated: boolean): object {
  return {
    body: base64(body.subarray(0, MOST_SHOWN)),
    bytes: body.byteLength,
    truncated,
    isCut: body.byteLength > MOST_SHOWN,
  }
}
