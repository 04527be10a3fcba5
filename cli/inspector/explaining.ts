import { type Explanation, explain, type Known } from '../../src/explain/index.ts'
import type { Delivery, Listener } from '../../src/index.ts'
import { schemesFor } from '../listen/explanations.ts'
import type { Inspected } from './inspected.ts'

/** Explains kept deliveries with this run's listener and secret, even if an earlier run recorded them. */
export function explainerFor(
  listener: Listener<unknown>,
  known: Known,
): (delivery: Inspected) => Promise<Explanation> {
  return async (delivery) => {
    const schemes = await schemesFor(delivery.reason)
    return explain(asDelivery(delivery), outcomeOf(delivery), listener, { ...known, schemes })
  }
}

export function outcomeOf({ verdict, reason, status }: Inspected): Parameters<typeof explain>[1] {
  if (verdict === 'accepted') return { ok: true }
  if (verdict === 'handshake') return { ok: false, handshake: true }
  return { ok: false, reason, status }
}

/** The delivery as an adapter would pass it on. */
export function asDelivery({ method, headers, body, sourceIp }: Inspected): Delivery {
  return {
    method,
    header(name) {
      const values = headers.flatMap(([other, value]) => (other.toLowerCase() === name ? [value] : []))
      return values.length > 1 ? values : values[0]
    },
    body,
    sourceIp: sourceIp ?? undefined,
  }
}
