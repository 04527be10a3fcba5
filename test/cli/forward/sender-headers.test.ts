import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { github } from '../../../src/schemes/github.ts'
import { gitlab } from '../../../src/schemes/gitlab.ts'
import { standardWebhooks } from '../../../src/schemes/standard-webhooks.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { twilio } from '../../../src/schemes/twilio.ts'
import { signAs } from '../../../src/signing/sign-as.ts'
import { startApp } from './app.ts'
import { openGateway } from './gateway.ts'

const SECRET = 'a-secret-of-the-sender-0123456789'
const STANDARD_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const BODY = '{"id":"evt_1","type":"invoice.paid","created":1790000000}'

/** Sends these headers as they are written, repetitions included. */
async function post(
  url: string,
  headers: readonly string[],
  body: string | Uint8Array = BODY,
): Promise<number> {
  const sent = request(url, {
    method: 'POST',
    headers: ['Host', 'gateway.example', 'Content-Length', `${Buffer.byteLength(body)}`, ...headers],
  })
  return new Promise((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      text(response).then(() => resolve(response.statusCode ?? 0), reject)
    })
    sent.end(body)
  })
}

test('an app verifies the signature of Stripe itself, unchanged, behind the gateway', async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { auth: stripe({ secrets: SECRET }) })
  const { headers, body } = await signAs(stripe, { secret: SECRET, body: BODY })
  expect(await post(gateway.url, Object.entries(headers).flat(), body)).toBe(200)
  const [{ request, body: seen } = fail()] = app.received
  const [, time, mac] = /^t=([0-9]+),v1=([0-9a-f]+)$/.exec(`${request.headers['stripe-signature']}`) ?? []
  expect(createHmac('sha256', SECRET).update(`${time}.${seen}`).digest('hex')).toBe(mac)
})

test('the query that Twilio signs arrives at the app as it was sent, unless the URL of the app has one', async () => {
  const publicUrl = 'https://receiver.example/hooks'
  const [app, form] = [await startApp(), 'AccountSid=AC1&Body=Hi']
  const auth = twilio({ secrets: SECRET, publicUrl, dedupe: 'off' })
  for (const [target, expected] of [
    [`http://127.0.0.1:${app.port}/in`, "/in?step=%7e'2"],
    [app.url, '/hooks?tenant=7'],
  ] as const) {
    const gateway = await openGateway(target, { auth })
    const signed = await signAs(twilio, { secret: SECRET, publicUrl: `${publicUrl}?step=%7e'2`, body: form })
    const { hostname, port, pathname } = new URL(gateway.url)
    const sent = request({ hostname, port, path: `${pathname}?step=%7e'2`, ...signed })
    sent.end(form)
    const [response] = await once(sent, 'response')
    expect(response.resume().statusCode).toBe(200)
    expect(app.received.at(-1)?.request.url).toBe(expected)
  }
})

test("the headers that GitHub's SDK reads pass, each once, and none in another spelling", async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { auth: github({ secrets: SECRET }) })
  const mac = `sha256=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`
  const sent = ['Content-Type', 'application/json', 'X-Hub-Signature-256', mac]
  sent.push('X-GitHub-Event', 'push', 'X-GitHub-Delivery', '72d3162e-cc78-11e3-81ab-4c9367dc0958')
  sent.push('X_GitHub_Event', 'evil', 'X-GitHub-Hook-Installation-Target-ID', 'evil', 'Authorization', 'evil')
  expect(await post(gateway.url, sent)).toBe(200)
  const [{ request } = fail()] = app.received
  expect(request.headersDistinct).toMatchObject({
    'x-hub-signature-256': [mac],
    'x-github-event': ['push'],
    'x-github-delivery': ['72d3162e-cc78-11e3-81ab-4c9367dc0958'],
  })
  expect(JSON.stringify(request.rawHeaders)).not.toContain('evil')
})

test("GitHub's form arrives at the app as GitHub sent it, so that its SDK verifies and reads it", async () => {
  const app = await startApp()
  const gateway = await openGateway(app.url, { auth: github({ secrets: SECRET }) })
  const contentType = 'application/x-www-form-urlencoded'
  const body = 'payload=%7B%22ref%22:%22a+b%22%7D'
  const { headers } = await signAs(github, { secret: SECRET, body, contentType, eventType: 'push' })
  expect(await post(gateway.url, Object.entries(headers).flat(), body)).toBe(200)
  const [{ request, body: seen } = fail()] = app.received
  expect(`${seen}`).toBe(body)
  expect(request.headers).toMatchObject({
    'content-type': contentType,
    'x-github-event': 'push',
    'x-hub-signature-256': headers['x-hub-signature-256'],
  })
})

test('a token passes only by --pass-header, because anyone who has it can send deliveries', async () => {
  const app = await startApp()
  const headers = [
    'Content-Type',
    'application/json',
    'X-Gitlab-Event',
    'Push Hook',
    'X-Gitlab-Token',
    SECRET,
  ]
  const auth = gitlab({ secrets: SECRET })
  const gateway = await openGateway(app.url, { auth })
  expect(await post(gateway.url, headers)).toBe(200)
  const asked = await openGateway(app.url, { auth, passed: ['x-gitlab-token'] })
  expect(await post(asked.url, headers)).toBe(200)
  expect(app.received.map(({ request }) => request.headers['x-gitlab-event'])).toEqual([
    'Push Hook',
    'Push Hook',
  ])
  expect(app.received.map(({ request }) => request.headers['x-gitlab-token'])).toEqual([undefined, SECRET])
})

test('--no-sender-headers passes none of them', async () => {
  const app = await startApp()
  const auth = standardWebhooks({ secrets: STANDARD_SECRET })
  const { headers, body } = await signAs(standardWebhooks, { secret: STANDARD_SECRET, body: BODY })
  for (const passesSenderHeaders of [true, false]) {
    const gateway = await openGateway(app.url, { auth, passesSenderHeaders })
    expect(await post(gateway.url, Object.entries(headers).flat(), body)).toBe(200)
  }
  const ids = app.received.map(({ request }) => request.headers['webhook-id'])
  expect(ids).toEqual([headers['webhook-id'], undefined])
})

function fail(): never {
  throw new Error('the app got nothing')
}
