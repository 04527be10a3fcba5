import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { slack } from '../../src/schemes/slack.ts'
import { DUPLICATE, schemeReceiver } from '../support/scheme-receiver.ts'

it.each(['', ' ', '\r\n'])('a captured event does not come again as a form: after %j', async (space) => {
  const { clock, receive } = schemeReceiver(slack({ secrets: 'a secret' }))
  const body = `${space}{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}`
  const time = `${clock.seconds()}`
  const signature = `v0=${createHmac('sha256', 'a secret').update(`v0:${time}:${body}`).digest('hex')}`
  const send = (type: string) => {
    const headers = {
      'x-slack-request-timestamp': time,
      'x-slack-signature': signature,
      'content-type': type,
    }
    return receive({ headers, body })
  }
  const first = await send('application/json')
  if (first.ok) await first.event.commit()
  expect(await send('application/json')).toMatchObject(DUPLICATE)
  const asForm = await send('application/x-www-form-urlencoded')
  expect(asForm).toMatchObject({ ok: false, reason: 'body_malformed', status: 400 })
})
