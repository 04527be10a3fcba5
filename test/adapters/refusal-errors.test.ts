import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Delivery, type Listener, verify } from '../../src/index.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { inWords } from '../support/outcome.ts'

/** A debugger in another thread. It pauses this thread at every throw, caught or not, and resumes it. */
const DEBUGGER = `
  const { Session } = require('node:inspector')
  const { parentPort } = require('node:worker_threads')
  const session = new Session()
  session.connectToMainThread()
  let thrown = []
  session.on('Debugger.paused', ({ params }) => {
    if (params.reason === 'exception') thrown.push(params.data.description ?? String(params.data.value))
    session.post('Debugger.resume')
  })
  session.post('Debugger.enable', () =>
    session.post('Debugger.setPauseOnExceptions', { state: 'all' }, () => parentPort.postMessage('ready')))
  parentPort.on('message', () => {
    parentPort.postMessage(thrown)
    thrown = []
  })`

let debugging: Worker

beforeAll(async () => {
  debugging = new Worker(DEBUGGER, { eval: true })
  await once(debugging, 'message')
})

afterAll(async () => {
  await debugging.terminate()
})

/** The errors that were thrown since the last call. */
async function thrown(): Promise<readonly string[]> {
  debugging.postMessage('what was thrown?')
  const [errors] = await once(debugging, 'message')
  return errors
}

type Way = (given: { delivery: Delivery; listener: Listener }) => Promise<Delivery> | Delivery

const changing =
  (name: string, value: string | undefined): Way =>
  ({ delivery }) =>
    withHeaders(delivery, { [name]: value })

const BY_HMAC: { readonly [reason: string]: Way } = {
  body_too_large: ({ delivery }) => ({ ...delivery, body: new Uint8Array(65_537) }),
  method_not_post: ({ delivery }) => ({ ...delivery, method: 'GET' }),
  header_missing: changing('webhook-event-id', undefined),
  content_type_not_json: changing('content-type', 'text/html'),
  timestamp_malformed: changing('webhook-timestamp', 'now'),
  timestamp_out_of_range: changing('webhook-timestamp', '1'),
  event_id_not_uuid_v4: changing('webhook-event-id', '1'),
  source_ip_not_allowed: ({ delivery }) => ({ ...delivery, sourceIp: '010.0.0.1' }),
  auth_missing: changing('webhook-signature', undefined),
  signature_mismatch: changing('webhook-signature', 'A'.repeat(43)),
  event_in_progress: async ({ delivery, listener }) => {
    await verify(delivery, listener)
    return delivery
  },
}

it.each(Object.entries(BY_HMAC))('nothing is thrown, not even inside, for %s', async (reason, change) => {
  const { listener, deliver } = hmacListener({ allowedCidrs: ['10.0.0.0/8'] })
  const refused = await change({ delivery: await deliver({ sourceIp: '10.0.0.1' }), listener })
  await thrown()
  const words = inWords(await verify(refused, listener))
  expect(await thrown()).toEqual([])
  expect(words).toContain(reason)
})

const bearer = (token: string) => changing('authorization', `Bearer ${token}`)

const BY_TOKEN: { readonly [what: string]: Way } = {
  'no token': changing('authorization', undefined),
  'two segments': bearer('e30.e30'),
  'a segment that is not base64url': bearer('e30=.e30.AA'),
  'another algorithm': bearer(`${btoa('{"alg":"none","kid":"k1"}')}.e30.AA`),
  'the claims of another event': changing('webhook-event-id', '5a4cd3a1-0d5c-4d3e-9b1f-2f3a4b5c6d7e'),
  'a token that has expired': ({ delivery }) => delivery,
}

it.each(Object.entries(BY_TOKEN))('nothing is thrown, not even inside, for %s', async (what, change) => {
  const { listener, deliver, clock } = await es256Listener()
  const expiry = clock.seconds() + (what === 'a token that has expired' ? 0 : 60)
  const refused = await change({ delivery: await deliver({ claims: { exp: expiry } }), listener })
  await thrown()
  const words = inWords(await verify(refused, listener))
  expect(await thrown()).toEqual([])
  expect(words).toMatch(/^401/)
})

it("the engine's own error for a body that is not JSON is the only one", async () => {
  const { listener, deliver } = hmacListener()
  const delivery = await deliver({ body: '{' })
  await thrown()
  expect(inWords(await verify(delivery, listener))).toContain('body_not_json')
  expect(await thrown()).toEqual([expect.stringContaining('SyntaxError')])
})
