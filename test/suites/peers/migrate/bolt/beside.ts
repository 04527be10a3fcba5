import { App, ExpressReceiver } from '@slack/bolt'
import express from 'express'
import type { Listener } from 'hookgate'
import { observeWebhook } from 'hookgate/express'

declare const listener: Listener

const app = express()
app.use(
  '/slack/events',
  express.raw({ type: '*/*', limit: '1mb' }),
  (req, _res, next) => {
    void observeWebhook(listener, req, req.body)
    Object.assign(req, { rawBody: req.body }) // Bolt takes it in place of the stream
    next()
  },
)

const receiver = new ExpressReceiver({
  app,
  signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
})
const bolt = new App({
  receiver,
  authorize: async () => ({
    botToken: process.env.SLACK_BOT_TOKEN ?? '',
  }),
})

bolt.event('app_mention', async ({ event }) => {
  console.log(event.type, event.channel)
})

bolt.command('/deploy', async ({ ack, command }) => {
  await ack(`deploying ${command.text}`)
})

export { app }
