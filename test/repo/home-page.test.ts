import { readFileSync } from 'node:fs'
import express, { type Express } from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { defineListener } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { SCHEME_NAMES } from '../support/schemes.ts'
import { serve } from '../support/servers.ts'

const page = readFileSync(new URL('../../docs/site/index.md', import.meta.url), 'utf8')
const SECRET = 'whsec_of_this_test'

it("the code on the site's first page answers as the picture beside it says", async () => {
  const [, code = ''] = /^```js\n(.*?)^```$/ms.exec(page) ?? []
  const names = ['app', 'defineListener', 'verifyWebhook', 'webhookOf', 'stripe', 'memoryStore', 'SECRET']
  const mount = new Function(...names, code)
  const app: Express = express()
  mount(app, defineListener, verifyWebhook, webhookOf, stripe, memoryStore, SECRET)
  const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const { address } = await serve(app)
  const url = `http://127.0.0.1:${Reflect.get(address, 'port')}/webhooks/stripe`
  const sign = (id: string, timestamp?: number) =>
    signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' }, ...(timestamp && { timestamp }) })
  const good = await sign('evt_1')
  const tampered = { ...(await sign('evt_2')), body: '{"id":"evt_3","type":"charge.failed"}' }
  const late = await sign('evt_4', Math.floor(Date.now() / 1000) - 3_600)
  const answers: string[] = []
  for (const request of [good, good, tampered, late]) {
    const { status } = await fetch(url, request)
    answers.push(`${status}`)
  }
  expect(answers).toEqual([...page.matchAll(/<td>([0-9]{3})<\/td>/g)].map(([, status]) => status))
  expect(logged.mock.calls).toEqual([['invoice.paid']])
})

it("the site's first page does not count more senders than there are", () => {
  const [, others] = /more than ([0-9]+) other senders/.exec(page) ?? []
  expect(SCHEME_NAMES.length - 4).toBeGreaterThan(Number(others))
})
