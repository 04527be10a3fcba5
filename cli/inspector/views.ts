import type { CheckOutcome, Explanation } from '../../src/explain/index.ts'
import type { Listener } from '../../src/index.ts'
import { beyondDetail } from '../listen/explanations.ts'
import { namesOf } from './claims.ts'
import { differenceOf } from './difference.ts'
import type { Inspected } from './inspected.ts'
import { base64 } from './record.ts'

/** The part of a body that the page shows. Exports hold the whole body. */
export const MOST_SHOWN = 256 * 1024

/** An allowlist: nothing new reaches the page by itself. */
const ROW = [
  'seq',
  'time',
  'method',
  'listener',
  'verdict',
  'reason',
  'status',
  'unsigned',
  'replayOf',
] as const

/** One line of the list. Pass a masked delivery. */
export function rowOf(delivery: Inspected, listener: Listener<unknown>): object {
  const { path, ms, app } = delivery
  return {
    ...namesOf(delivery, listener),
    ...Object.fromEntries(ROW.map((name) => [name, delivery[name]])),
    path: path.slice(0, 200),
    ms: ms.total,
    app: app && { status: app.status },
  }
}

/**
 * Everything that the page shows of one delivery.
 *
 * @param accepted One that was accepted as the same event. Pass both masked.
 */
export function detailOf(
  delivery: Inspected,
  explanation: Explanation,
  listener: Listener<unknown>,
  accepted: Inspected | undefined,
): object {
  const { checks, token } = explanation
  const { detail, sourceIp, headers, body, bytes, truncated, ms, app } = delivery
  return {
    ...rowOf(delivery, listener),
    detail,
    sourceIp,
    headers,
    ...shown(body, truncated),
    bytes,
    kept: body.byteLength,
    checks: checks.map(({ name, says, ok }: CheckOutcome) => ({ name, says, ok })),
    likely: beyondDetail(explanation, detail),
    difference: accepted && differenceOf(accepted, delivery),
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
