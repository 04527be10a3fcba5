import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { schemeFactory } from '../support/schemes.ts'

const genuine = (scheme: string): unknown => {
  const file = new URL(`../vectors/schemes/${scheme}.json`, import.meta.url)
  return JSON.parse(JSON.parse(readFileSync(file, 'utf8')).cases[0].body)
}

/** What the sender's documentation calls the type of the event in each scheme's first vector. */
it.each([
  ['anthropic', 'session.status_idled'],
  ['box', 'FILE.UPLOADED'],
  ['dodo', 'payment.succeeded'],
  ['intercom', 'conversation.user.created'],
  ['lithic', 'card.created'],
  ['openai', 'response.completed'],
  ['slack', 'app_mention'],
  ['telnyx', 'message.received'],
  ['twitch', 'channel.follow'],
  ['workos', 'user.created'],
])('%s names its event %s', async (scheme, type) => {
  const { eventType = { item: '' } } = (await schemeFactory(scheme)).scheme
  const pointer = 'member' in eventType ? eventType.member : ''
  const found = pointer
    .split('/')
    .slice(1)
    .reduce((value: unknown, step) => Object(value)[step], genuine(scheme))
  expect(found).toBe(type)
})
