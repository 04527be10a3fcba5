import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { box } from '../../src/schemes/box.ts'
import { DUPLICATE, schemeReceiver } from '../support/scheme-receiver.ts'

it('a retry of Box has another time and another BOX-DELIVERY-ID, and is a duplicate', async () => {
  const { clock, receive } = schemeReceiver(box({ secrets: 'a key' }))
  const send = (deliveryId: string, id: string) => {
    const time = new Date(clock.seconds() * 1000).toISOString()
    const body = JSON.stringify({ type: 'webhook_event', id, trigger: 'FILE.UPLOADED' })
    const headers = {
      'box-delivery-id': deliveryId,
      'box-delivery-timestamp': time,
      'box-signature-version': '1',
      'box-signature-algorithm': 'HmacSHA256',
      'box-signature-primary': createHmac('sha256', 'a key')
        .update(body + time)
        .digest('base64'),
    }
    return receive({ headers, body })
  }
  const first = await send('the first attempt', 'an event')
  expect(first).toMatchObject({ ok: true, event: { id: 'the first attempt' } })
  if (first.ok) await first.event.commit()
  clock.advanceSeconds(300)
  expect(await send('the second attempt', 'an event')).toMatchObject(DUPLICATE)
  expect(await send('the second attempt', 'another event')).toMatchObject({ ok: true })
})
