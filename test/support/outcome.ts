import { type Delivery, type Listener, type Verdict, verify, type WebhookEvent } from '../../src/index.ts'

/** The verdict in two words: `accepted`, or `401 signature_mismatch`. */
export function inWords(verdict: Verdict<unknown>): string {
  return verdict.ok ? 'accepted' : `${verdict.status} ${verdict.reason}`
}

export async function outcome<Payload>(delivery: Delivery, listener: Listener<Payload>): Promise<string> {
  return inWords(await verify(delivery, listener))
}

/** The event of a delivery that must be accepted. */
export async function acceptedEvent<Payload>(
  delivery: Delivery,
  listener: Listener<Payload>,
): Promise<WebhookEvent<Payload>> {
  const verdict = await verify(delivery, listener)
  if (!verdict.ok) throw new Error(`refused: ${inWords(verdict)}: ${verdict.detail}`)
  return verdict.event
}
