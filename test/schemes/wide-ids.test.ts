import { expect, it } from 'vitest'
import { standardWebhooks } from '../../src/schemes/standard-webhooks.ts'
import { signAs } from '../../src/testing/index.ts'
import { MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0'
const auth = standardWebhooks({ secrets: secret })

// A host that decodes headers as UTF-8 can report a character above 255. Cut to a byte, it would equal the signed one.
it.each([0x100, 0x7500])('an ID whose characters are %i higher is not the signed one', async (higher) => {
  const { receive, clock } = schemeReceiver(auth)
  const { headers, body } = await signAs(standardWebhooks, {
    secret,
    body: '{"a":1}',
    timestamp: clock.seconds(),
  })
  const request = { headers, body: Buffer.from(body) }
  await expect(receive(request)).resolves.toMatchObject({ ok: true })
  const id = `${headers['webhook-id']}`
  const captured = String.fromCharCode(id.charCodeAt(0) + higher) + id.slice(1)
  const replay = receive({ ...request, headers: { ...headers, 'webhook-id': captured } })
  await expect(replay).resolves.toMatchObject(MISMATCH)
})
