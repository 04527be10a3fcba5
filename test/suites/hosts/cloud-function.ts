import { http } from '@google-cloud/functions-framework'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { listener } from './listener.ts'

const verify = verifyWebhook(listener)

http('stripe', (req, res) =>
  verify(req, res, (error) => {
    if (error) {
      console.error(error) // a mistake in the setup; its message names the fix
      return void res.sendStatus(500)
    }
    const { id, type } = webhookOf(req, listener)
    console.log(type, id)
    res.json({ received: true })
  }),
)
