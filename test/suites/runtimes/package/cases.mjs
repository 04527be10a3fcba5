/**
 * What the installed package must do wherever there are web APIs, workerd included. A case rejects if it fails. The
 * cases import only the package. They sign with its own signers, whose vectors the main tests check.
 */
import { Hono } from 'hono'
import { proxy } from 'hono/proxy'
import { cloneRawRequest } from 'hono/request'
import { defineListener, EventStoreError, generateSecret, hmac, verify } from 'hookgate'
import { verifyWebhook } from 'hookgate/hono'
import { jwt, localKeySet, remoteKeySet } from 'hookgate/jwt'
import { listeners } from 'hookgate/listeners'
import { withLocalCache } from 'hookgate/stores/local-cache'
import { memoryStore } from 'hookgate/stores/memory'
import { signHmac, signJwt, toDelivery } from 'hookgate/testing'
import { webhookHandler } from 'hookgate/web'
import { equal } from './equal.mjs'
import { fixture } from './fixture.mjs'

export const SECRET = 'a secret of more than sixteen characters'
const names = { subject: 'https://tenant.example', audience: 'https://api.example/webhooks/orders' }
const body = '{"a":1}'

export const hmacListener = (options = {}) =>
  defineListener({
    id: 'L1',
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    store: memoryStore({ maxRecords: 1000 }),
    ...options,
  })

const jwtListener = (keySet) =>
  defineListener({ id: 'L1', auth: jwt({ keySet, ...names }), store: memoryStore({ maxRecords: 1000 }) })

const says = async (listener, request, sourceIp) => {
  const verdict = await verify(toDelivery(request, sourceIp), listener)
  return verdict.ok ? 'accepted' : `${verdict.status} ${verdict.reason}`
}
const withBody = (request, text) => ({ ...request, body: new TextEncoder().encode(text) })
const signed = (options = {}) => signHmac({ secret: SECRET, body, ...options })
const token = (privateKey, options = {}) => signJwt({ privateKey, ...names, body, ...options })
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** Counts the calls of Web Crypto's HMAC. Only one of the two builds makes any. */
async function cryptoBuild() {
  const { subtle } = crypto
  const original = subtle.sign
  let calls = 0
  Object.defineProperty(subtle, 'sign', {
    configurable: true,
    value: (...given) => {
      calls += 1
      return original.apply(subtle, given)
    },
  })
  try {
    await says(hmacListener(), { ...(await signed()) })
  } finally {
    delete subtle.sign
  }
  return calls > 0 ? 'web' : 'node'
}

const algorithmCases = ({ alg, good, other }) => ({
  [`${alg}: accepts the right key`]: async () =>
    equal(
      await says(jwtListener(localKeySet({ keys: [good.publicKey] })), await token(good.privateKey)),
      'accepted',
    ),
  [`${alg}: refuses another key under the same kid`]: async () => {
    const listener = jwtListener(localKeySet({ keys: [good.publicKey] }))
    equal(await says(listener, await token(other.privateKey)), '401 token_invalid')
  },
  [`${alg}: refuses another body`]: async () => {
    const listener = jwtListener(localKeySet({ keys: [good.publicKey] }))
    equal(await says(listener, withBody(await token(good.privateKey), '{"a":2}')), '401 token_invalid')
  },
  [`${alg}: refuses an expired token`]: async () => {
    const listener = jwtListener(localKeySet({ keys: [good.publicKey] }))
    const expired = await token(good.privateKey, { claims: { exp: nowSeconds() - 1 } })
    equal(await says(listener, expired), '401 token_expired')
  },
  [`${alg}: key set over HTTP, fetched once for two deliveries and an unknown kid`]: async () => {
    const keySet = remoteKeySet(`${fixture.keyHost}/${alg}.json?${crypto.randomUUID()}`, {
      allowInsecureLoopback: true,
    })
    const listener = jwtListener(keySet)
    equal(await says(listener, await token(good.privateKey)), 'accepted')
    equal(await says(listener, await token(good.privateKey)), 'accepted')
    equal(await says(listener, await token(other.privateKey)), '401 token_invalid')
    equal(await says(listener, await token({ ...good.privateKey, kid: 'x' })), '401 token_invalid')
  },
})

const PROBLEM = (status, title, code) => [
  status,
  'application/problem+json',
  JSON.stringify({ status, title, code }),
]

/** Checks an endpoint's replies to good, repeated, forged, old and large requests. */
export async function checkEndpoint(send) {
  const reply = async (request) => {
    const response = await send(request)
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  const good = await signed()
  equal((await reply(good))[0], 200)
  equal(await reply(good), PROBLEM(409, 'Conflict', 'event_duplicate'))
  equal(await reply(withBody(await signed(), '{"a":2}')), PROBLEM(401, 'Unauthorized', 'unauthorized'))
  const old = await signed({ timestamp: nowSeconds() - 400 })
  equal(await reply(old), PROBLEM(400, 'Bad Request', 'timestamp_out_of_range'))
  const large = await signed({ body: `"${'x'.repeat(65_535)}"` })
  equal(await reply(large), PROBLEM(400, 'Bad Request', 'body_too_large'))
  equal((await reply(await signed({ body: `"${'x'.repeat(65_534)}"` })))[0], 200)
}

const toRequest = (request) => new Request('https://api.example/webhooks/orders', request)

export const honoApp = () => {
  const app = new Hono()
  app.post('/webhooks/orders', verifyWebhook(hmacListener()), (c) => c.json({ received: c.var.webhook.id }))
  return app
}

/** The bytes of the body in the handler, in each way to read them. */
async function looksAtBody() {
  const exact = '{ "a": 1.0 }'
  const customFetch = async (request) => new Response(await request.text())
  const looks = {
    text: ({ req }) => req.raw.text(),
    stream: ({ req }) => new Response(req.raw.body).text(),
    clone: ({ req }) => req.raw.clone().text(),
    cloneRawRequest: async ({ req }) => (await cloneRawRequest(req)).text(),
    proxy: async ({ req }) => (await proxy('https://other.example/', { ...req, customFetch })).text(),
  }
  for (const [name, look] of Object.entries(looks)) {
    const app = new Hono()
    app.post('/webhooks/orders', verifyWebhook(hmacListener()), async (c) => c.text(await look(c)))
    const response = await app.fetch(toRequest(await signed({ body: exact })))
    equal([name, response.status, await response.text()], [name, 200, exact])
  }
}

export const webHandler = () => webhookHandler(hmacListener(), ({ id }) => Response.json({ received: id }))

export const cases = {
  [`#crypto is the ${fixture.crypto} build`]: async () => equal(await cryptoBuild(), fixture.crypto),
  'HMAC: accepts once, and then 409': async () => {
    const listener = hmacListener()
    const request = await signed()
    const first = await verify(toDelivery(request), listener)
    equal(first.ok && first.event.payload, { a: 1 })
    equal(await says(listener, request), '503 event_in_progress')
    equal(await first.event.commit(), 'committed')
    equal(await says(listener, request), '409 event_duplicate')
  },
  'HMAC: a released event runs again': async () => {
    const listener = hmacListener()
    const request = await signed()
    const { event } = await verify(toDelivery(request), listener)
    equal(await event.release(), true)
    equal(await says(listener, request), 'accepted')
  },
  'HMAC: refuses another body': async () =>
    equal(await says(hmacListener(), withBody(await signed(), '{"a":2}')), '401 signature_mismatch'),
  'HMAC: refuses another secret': async () =>
    equal(await says(hmacListener(), await signed({ secret: generateSecret() })), '401 signature_mismatch'),
  'HMAC: is the digest of RFC 2104 over timestamp, event ID and body': async () => {
    const { headers } = await signHmac({
      secret: SECRET,
      body,
      timestamp: 1700000000,
      eventId: 'a0b1c2d3-e4f5-4678-9abc-def012345678',
    })
    equal(headers['webhook-signature'], fixture.signature)
  },
  'timestamp: 301 seconds off is refused, 299 is not': async () => {
    equal(
      await says(hmacListener(), await signed({ timestamp: nowSeconds() - 301 })),
      '400 timestamp_out_of_range',
    )
    equal(await says(hmacListener(), await signed({ timestamp: nowSeconds() - 299 })), 'accepted')
  },
  'networks: an address inside is accepted, one outside and none are refused': async () => {
    const listener = hmacListener({ allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] })
    equal(await says(listener, await signed(), '::ffff:192.0.2.1'), 'accepted')
    equal(await says(listener, await signed(), '2001:db8::1'), 'accepted')
    equal(await says(listener, await signed(), '203.0.113.9'), '403 source_ip_not_allowed')
    equal(await says(listener, await signed()), '403 source_ip_not_allowed')
  },
  'a store that fails is an error, and no verdict': async () => {
    const claim = () => Promise.reject(new Error('down'))
    const store = { claim, commit: () => 'lost', release: () => false }
    const error = await says(hmacListener({ store }), await signed()).catch((thrown) => thrown)
    equal(error instanceof EventStoreError, true)
  },
  'a signature with its unused bits set is refused': async () => {
    const request = await signed()
    const signature = request.headers['webhook-signature']
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = ALPHABET[ALPHABET.indexOf(signature.at(-1)) ^ 1]
    const headers = { ...request.headers, 'webhook-signature': signature.slice(0, -1) + last }
    equal(await says(hmacListener(), { ...request, headers }), '401 signature_mismatch')
  },
  '32,768 nested arrays are accepted': async () => {
    const deep = '['.repeat(32_768) + ']'.repeat(32_768)
    equal(await says(hmacListener(), await signed({ body: deep })), 'accepted')
  },
  '65,536 opening brackets are refused, and no stack overflows': async () =>
    equal(await says(hmacListener(), await signed({ body: '['.repeat(65_536) })), '400 body_not_json'),
  'a small-order key and its forgery are refused': async () => {
    const { publicKey, token: weak } = fixture.smallOrder
    const listener = jwtListener(localKeySet({ keys: [publicKey] }))
    const sent = await token(fixture.keys[0].good.privateKey)
    const [header, , signature] = weak.split('.')
    const [, claims] = sent.headers.authorization.split('.')
    const headers = { ...sent.headers, authorization: `Bearer ${header}.${claims}.${signature}` }
    equal(await says(listener, { ...sent, headers }), '401 token_invalid')
  },
  ...Object.assign({}, ...fixture.keys.map(algorithmCases)),
  'hookgate/web: the replies': () => {
    const handle = webHandler()
    return checkEndpoint(async (request) => handle(toRequest(request)))
  },
  'hookgate/hono: the replies': () => {
    const app = honoApp()
    return checkEndpoint(async (request) => app.fetch(toRequest(request)))
  },
  'hookgate/hono: c.req.raw has the exact bytes': looksAtBody,
  'hookgate/listeners: loads a listener once, and remembers who is unknown': async () => {
    const asked = []
    const load = async (id) => {
      asked.push(id)
      return id === 'L1' ? hmacListener() : undefined
    }
    const tenants = listeners({ load })
    const app = new Hono()
    const find = (c) => tenants.find(c.req.param('id'))
    app.post('/webhooks/:id', verifyWebhook(find), (c) => c.text('accepted'))
    const send = async (id) => app.fetch(new Request(`https://api.example/webhooks/${id}`, await signed()))
    const statuses = []
    for (const id of ['L1', 'L1', 'L2', 'L2']) statuses.push((await send(id)).status)
    equal(
      [statuses, asked],
      [
        [200, 200, 404, 404],
        ['L1', 'L2'],
      ],
    )
  },
  'hookgate/stores/local-cache: a duplicate is known without the store': async () => {
    let claims = 0
    const inner = memoryStore({ maxRecords: 10 })
    const claim = (...given) => {
      claims += 1
      return inner.claim(...given)
    }
    const counting = { claim, commit: (...given) => inner.commit(...given), release: () => false }
    const listener = hmacListener({ store: withLocalCache(counting) })
    const request = await signed()
    const { event } = await verify(toDelivery(request), listener)
    await event.commit()
    equal(await says(listener, request), '409 event_duplicate')
    equal(claims, 1)
  },
}
