import { App, ExpressReceiver } from '@slack/bolt'
import type { SlackEvent } from '@slack/types'
import { defineListener, route } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { type SlackEnvelope, slack } from 'hookgate/schemes/slack'
import { memoryStore } from 'hookgate/stores/memory'

const listener = defineListener({
  id: 'slack',
  auth: slack<SlackEnvelope<SlackEvent>>({
    secrets: process.env.SLACK_SIGNING_SECRET,
  }),
  store: memoryStore(), // one process only; otherwise a shared store
})

const handle = route(listener, {
  app_mention: async ({ payload: { event } }) =>
    console.log(event.type, event.channel),
  '*': async () => {},
})

const receiver = new ExpressReceiver({
  signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
})
const bolt = new App({
  receiver,
  authorize: async () => ({
    botToken: process.env.SLACK_BOT_TOKEN ?? '',
  }),
})

bolt.command('/deploy', async ({ ack, command }) => {
  await ack(`deploying ${command.text}`)
})

receiver.router.post(
  '/webhooks/slack',
  verifyWebhook(listener),
  async (req, res) => {
    await handle(webhookOf(req, listener))
    res.sendStatus(200)
  },
)

export const app = receiver.app
