import { keyOfBytes } from '../../src/event-key.ts'
import type { WebhookEvent } from '../../src/index.ts'
import { keyOfSignedBytes } from '../../src/scheme/claim-keys.ts'
import type { Verification } from '../../src/verification.ts'

/**
 * What the app gets as `Webhook-Event-Id`, so that it can use it as a key. An ID that nobody signs could name another event, so
 * the signed bytes stand for it.
 */
export async function appEventId(
  verification: Verification,
  { id, rawBody, unsigned }: WebhookEvent<unknown>,
): Promise<string> {
  const { protocol, claimKeys } = verification
  if (protocol.dedupe === 'off') return keyOfBytes(rawBody)
  if (protocol.dedupe !== 'id') return claimKeys[0] ?? id // the signed bytes, with their topic
  return unsigned?.includes('id') ? keyOfSignedBytes(verification) : id
}
