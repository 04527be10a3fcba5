import { type EventStore, verify } from '../../src/index.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'

export const CARD = '4111111111111111'

/**
 * Sends one delivery of each kind: accepted, duplicate, badly signed, undecided. Returns every secret that must not be
 * in the output.
 */
export async function sendOneOfEach(): Promise<{
  readonly secrets: readonly string[]
  readonly eventId: string
}> {
  const { listener, deliver } = hmacListener()
  const delivery = await deliver({ body: `{"card":"${CARD}"}`, sourceIp: '192.0.2.1' })
  const verdict = await verify(delivery, listener)
  if (!verdict.ok) throw new Error('refused')
  await verdict.event.commit()
  await verify(delivery, listener)
  const forged = 'x'.repeat(43)
  await verify(withHeaders(delivery, { 'webhook-signature': forged }), listener)
  await hmacListener({ store: DOWN })
    .deliver()
    .then((next) => verify(next, hmacListener({ store: DOWN }).listener))
    .catch(() => {})
  const secrets = [CARD, forged, PASSWORD, `${delivery.header('webhook-signature')}`]
  return { secrets, eventId: verdict.event.id }
}

const PASSWORD = 'hunter22hunter22'
const fail = () => Promise.reject(new Error(`redis://:${PASSWORD}@127.0.0.1 is down`))
const DOWN: EventStore = { claim: fail, commit: fail, release: fail }
