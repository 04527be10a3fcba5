import { type Delivery, defineListener, type Listener } from '../../src/index.ts'
import { slack } from '../../src/schemes/slack.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { newKey, type SigningKey } from '../support/keys.ts'

export const ES256_KEY: SigningKey = newKey('ES256')

/** Slack's handshake, which asks whether the endpoint is ours. */
export function slackHandshake(): { delivery: Promise<Delivery>; listener: Listener } {
  const secret = 'slack-signing-secret-for-tests'
  const body = { type: 'url_verification', challenge: 'c', token: 't' }
  const listener = defineListener({
    id: 'slack',
    auth: slack({ secrets: secret }),
    store: memoryStore(),
  })
  return { delivery: signAs(slack, { secret, body }).then((request) => toDelivery(request)), listener }
}
