import { type SignJwtOptions, signJwt } from 'hookgate/testing'
import { expect, it } from 'vitest'
import { keyHost, respondWith } from '../../../test/support/key-host.ts'
import { newKey } from '../../../test/support/keys.ts'
import { createApp } from '../../src/app.ts'
import { newSender, RECORD, recordsOf, workAll } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'
import { replyOf } from '../support/reply.ts'

const key = newKey('ES256')

/** The service as a developer runs it: key hosts on this machine are allowed. */
async function jwtSender(subject: Subject, { allowPrivateJwks = true } = {}) {
  const host = await keyHost({ keys: [key.publicKey] })
  const app = createApp(subject.with({ SERVICE_ALLOW_PRIVATE_JWKS: allowPrivateJwks }))
  const created = await app.request('/api/v1/automations', {
    method: 'POST',
    headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      displayName: 'JWT',
      steps: [{ type: 'record', valueCel: 'ctx.trigger' }],
      trigger: { enabled: true, incomingWebhook: { jwt: { jwksUrl: host.url } } },
    }),
  })
  const { automation } = (await replyOf(created)).body
  const automationId = automation.id
  await subject.post(`/api/v1/automations/${automationId}/action/publish`, undefined)
  const { url, listenerId } = automation.trigger.incomingWebhook
  const send = async (change: Partial<SignJwtOptions> = {}) => {
    const now = subject.clock.seconds()
    const options = { body: '{"by":"jwt"}', timestamp: now, privateKey: key.privateKey, ...change }
    const claims = { exp: now + 300, ...change.claims }
    const request = await signJwt({ subject: 'https://tenant.example', audience: url, ...options, claims })
    const reply = await app.request(url.replace('https://tenant.example', ''), request)
    return {
      status: reply.status,
      headers: reply.headers,
      code: Reflect.get(Object(await reply.json()), 'code'),
    }
  }
  return { send, host, sender: { automationId, listenerId, path: '', secret: '' } }
}

describeService('a JWT listener', (subject) => {
  it('the listener answers 200, then 409, with one run and one fetch of the keys', async () => {
    const { send, host, sender } = await jwtSender(subject)
    const eventId = crypto.randomUUID()
    expect((await send({ eventId })).status).toBe(200)
    expect(await send({ eventId })).toMatchObject({ status: 409, code: 'event_duplicate' })
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ by: 'jwt' }])
    expect(host.requests).toBe(1)
  })

  it.each([
    ['another tenant', { subject: 'https://other.example' }],
    ['another listener’s URL', { audience: 'https://tenant.example/api/v1/webhooks/incoming/other' }],
    ['another key', { privateKey: newKey('ES256').privateKey }],
    ['another method', { claims: { htm: 'PUT' } }],
    ['another body', { claims: { htb_s256: 'A'.repeat(43) } }],
    ['another event', { claims: { jti: crypto.randomUUID() } }],
  ])('the listener answers 401 to %s', async (_, change) => {
    const { send, sender } = await jwtSender(subject)
    const { status, code, headers } = await send(change)
    expect([status, code, headers.get('www-authenticate')]).toStrictEqual([401, 'unauthorized', 'Bearer'])
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([])
  })

  it.each([
    [0, 401],
    [1, 200],
    [600, 200],
    [601, 401],
  ])('the listener judges a token that expires in %d seconds: %d', async (seconds, status) => {
    const { send } = await jwtSender(subject)
    expect((await send({ claims: { exp: subject.clock.seconds() + seconds } })).status).toBe(status)
  })

  it('the listener reports a bad URL with this service’s settings, not hookgate’s options', async () => {
    for (const allowPrivateJwks of [true, false]) {
      const app = createApp(subject.with({ SERVICE_ALLOW_PRIVATE_JWKS: allowPrivateJwks }))
      const trigger = { incomingWebhook: { jwt: { jwksUrl: 'http://keys.example.com/' } } }
      const { status, body } = await replyOf(
        await app.request('/api/v1/automations', {
          method: 'POST',
          headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ displayName: 'JWT', steps: RECORD, trigger }),
        }),
      )
      expect([status, body.code]).toStrictEqual([400, 'webhook_invalid'])
      expect(body.detail).toMatch(/^jwksUrl: must be an https: URL/)
      expect(body.detail).not.toContain('allowInsecureLoopback')
      expect(body.detail.includes('SERVICE_ALLOW_PRIVATE_JWKS=on')).toBe(!allowPrivateJwks)
    }
  })

  it('the listener fetches the keys again only if the URL changes', async () => {
    const { send, host, sender } = await jwtSender(subject)
    expect((await send()).status).toBe(200)
    const path = `/api/v1/automations/${sender.automationId}`
    await subject.patch(path, { displayName: 'renamed', trigger: { enabled: true } })
    expect((await send()).status).toBe(200)
    expect(host.requests).toBe(1)
    const other = await keyHost({ keys: [] })
    await subject.database.query(
      'UPDATE listeners SET jwks_url = $2, revision = revision + 1 WHERE id = $1',
      [sender.listenerId, other.url],
    )
    expect((await send()).status).toBe(401)
    expect(other.requests).toBe(1)
  })

  it('the listener is named in one line when its key host fails, however many tokens arrive', async () => {
    const { send, host, sender } = await jwtSender(subject)
    host.answer = respondWith(500)
    subject.reports.length = 0
    for (const round of [1, 2]) {
      const tokens = Array.from({ length: 50 }, (_, n) => send({ keyId: `${round} ${n}` }))
      const statuses = (await Promise.all(tokens)).map(({ status }) => status)
      expect(new Set(statuses)).toStrictEqual(new Set([503]))
    }
    expect(subject.reports.splice(0)).toStrictEqual([
      `listener ${sender.listenerId}: its key host is unavailable: ${host.url} answered with status 500. ` +
        'Until it is back, its tokens may be answered 503',
    ])
  })

  it('the listener answers 503 and sends nothing if its key host resolves to a private network', async () => {
    const { host } = await jwtSender(subject)
    const sender = await newSender(subject, {
      webhook: { jwt: { jwksUrl: 'https://localhost:9/jwks.json' } },
    })
    const request = await signJwt({
      body: '{}',
      timestamp: subject.clock.seconds(),
      privateKey: key.privateKey,
      subject: 'https://tenant.example',
      audience: `https://tenant.example${sender.path}`,
      claims: { exp: subject.clock.seconds() + 60 },
    })
    const reply = await subject.app.request(sender.path, request)
    expect([reply.status, reply.headers.has('retry-after')]).toStrictEqual([503, true])
    expect(await reply.json()).toStrictEqual({
      status: 503,
      title: 'Service Unavailable',
      code: 'unavailable',
    })
    expect(String(subject.reports.at(-1))).toContain('not on the public internet')
    expect(host.requests).toBe(0)
    subject.reports.length = 0
  })
})
