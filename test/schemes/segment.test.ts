import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { segment } from '../../src/schemes/segment.ts'
import { MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const SECRET = 'a shared secret of this test'
const SEEN = { messageId: 'seen', type: 'track', event: 'Order Completed' }
const FORGED = { messageId: 'forged', type: 'track', event: 'Refund Approved' }

/** As `extendRequest` of @segment/action-destinations signs: the data of the payload, or of the first one. */
const signatureOf = (payload: object) =>
  createHmac('sha1', SECRET)
    .update(JSON.stringify(Array.isArray(payload) ? payload[0] : payload))
    .digest('hex')

function receive(body: object, signature = signatureOf(body)) {
  const headers = { 'content-type': 'application/json', 'x-signature': signature }
  return schemeReceiver(segment({ secrets: SECRET })).receive({ headers, body: JSON.stringify(body) })
}

describe('a delivery of Segment', () => {
  it('one event is accepted, and identified by its messageId', async () => {
    expect(await receive(SEEN)).toMatchObject({ ok: true, event: { id: 'seen', type: 'track' } })
  })

  it('an event that is added to a captured one, as a batch is signed, is refused', async () => {
    expect(await receive([SEEN, FORGED], signatureOf(SEEN))).toMatchObject(MISMATCH)
  })

  it('batches are refused as Segment signs them, whatever their size', async () => {
    expect(await receive([SEEN])).toMatchObject(MISMATCH)
    expect(await receive([SEEN, SEEN])).toMatchObject(MISMATCH)
  })
})
