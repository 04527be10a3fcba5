import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { createApp } from './app.mjs'

const secret = 'whsec_of_this_test'

test('an event runs once, and a stranger is refused', async () => {
  const ran = []
  const app = createApp(secret, (event) => ran.push(event.id))
  const request = await signAs(stripe, {
    secret,
    body: { id: 'evt_1', type: 'invoice.paid' },
  })

  expect((await app.request('/webhooks/stripe', request)).status).toBe(
    204,
  )
  // a duplicate
  expect((await app.request('/webhooks/stripe', request)).status).toBe(
    200,
  )
  expect(
    (await app.request('/webhooks/stripe', { ...request, body: '{}' }))
      .status,
  ).toBe(401)
  expect(ran).toEqual(['evt_1'])
})

test('an event whose handler fails runs again', async () => {
  let attempts = 0
  const app = createApp(secret, () => {
    attempts += 1
    if (attempts === 1) throw new Error('down')
  })
  const request = await signAs(stripe, {
    secret,
    body: { id: 'evt_2', type: 'invoice.paid' },
  })

  expect((await app.request('/webhooks/stripe', request)).status).toBe(
    500,
  )
  expect((await app.request('/webhooks/stripe', request)).status).toBe(
    204,
  )
})
