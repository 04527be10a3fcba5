import { http } from '@google-cloud/functions-framework'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { listener } from './listener.ts'

const verify = verifyWebhook(listener)

http('orders', (req, res) =>
  verify(req, res, (error) => {
    if (error) {
      console.error(error) // a mistake in the setup; its message names the fix
      return void res.sendStatus(500)
    }
    const { id, payload } = webhookOf(req, listener)
    console.log('event', id, payload)
    res.json({ received: true })
  }),
)
