import { App, ExpressReceiver } from '@slack/bolt'

const receiver = new ExpressReceiver({
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

export const app = receiver.app
