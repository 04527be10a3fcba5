import { verifyWebhook, webhookOf } from 'hookgate/express'
import Koa from 'koa'
import { listener } from './listener.ts'

const verify = verifyWebhook(listener)

const webhook: Koa.Middleware = ({ req, res }, next) =>
  new Promise((resolve, reject) => {
    res.once('close', resolve) // refused, and already answered
    verify(req, res, (error) => (error ? reject(error) : resolve(next())))
  })

export const app = new Koa()
app.use(webhook) // before any body parser, and only for this path if there are others
app.use((ctx) => {
  const { id, type } = webhookOf(ctx.req, listener)
  console.log(type, id)
  ctx.body = { received: true }
})
