import { expect, it } from 'vitest'
import { hashOf } from '../../src/http/bearer.ts'
import { newSender, RECORD, sendAccepted } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

const PATH = '/api/v1/automations'
const automation = (change: object = {}) => ({
  displayName: 'Renewals',
  steps: RECORD,
  trigger: { incomingWebhook: { hmac: {} } },
  ...change,
})
const webhook = (incomingWebhook: object) => automation({ trigger: { incomingWebhook } })

describeService('automations', (subject) => {
  it('automations generate a listener URL and a secret when saved, and run nothing yet', async () => {
    const { status, headers, body } = await subject.post(PATH, automation())
    expect([status, headers.get('cache-control')]).toStrictEqual([200, 'no-store'])
    expect(body.signingSecret).toStrictEqual({
      id: expect.any(String),
      secret: expect.stringMatching(/^[\w-]{43}$/),
    })
    const { listenerId, url, ...rest } = body.automation.trigger.incomingWebhook
    expect(url).toBe(`https://tenant.example/api/v1/webhooks/incoming/${listenerId}`)
    expect(rest).toStrictEqual({
      allowedCidrs: null,
      hmac: { secrets: [{ id: body.signingSecret.id, createdAt: expect.any(String) }] },
      jwt: null,
    })
    expect(body.automation).toMatchObject({
      publishedVersion: null,
      trigger: { enabled: false },
      description: '',
    })
    expect((await subject.get(`${PATH}/${body.automation.id}`)).body).toStrictEqual({
      automation: body.automation,
    })
  })

  it('an automation with JWT has a JWKS URL instead of a secret', async () => {
    const jwt = { jwksUrl: 'https://keys.example.com/jwks.json' }
    const { status, body } = await subject.post(PATH, webhook({ jwt, allowedCidrs: ['192.0.2.0/24'] }))
    expect([status, body.signingSecret]).toStrictEqual([200, null])
    expect(body.automation.trigger.incomingWebhook).toMatchObject({
      hmac: null,
      jwt,
      allowedCidrs: ['192.0.2.0/24'],
    })
  })

  it.each([
    ['no method', {}],
    ['both methods', { hmac: {}, jwt: { jwksUrl: 'https://keys.example.com/' } }],
    ['a secret of the caller’s', { hmac: { secret: 'x'.repeat(43) } }],
    ['no URL', { jwt: { jwksUrl: 'keys' } }],
    ['no network', { hmac: {}, allowedCidrs: [] }],
  ])('%s is refused', async (_, incomingWebhook) => {
    const { status, body } = await subject.post(PATH, webhook(incomingWebhook))
    expect([status, body.code]).toStrictEqual([400, 'request_invalid'])
  })

  it.each([
    [{ hmac: {}, allowedCidrs: ['192.0.2.1/24'] }, '192.0.2.0/24'],
    [{ jwt: { jwksUrl: 'http://keys.example.com/' } }, 'https:'],
    [{ jwt: { jwksUrl: 'https://user:password@keys.example.com/' } }, 'credentials'],
    [{ jwt: { jwksUrl: 'https://169.254.169.254/latest' } }, 'public internet'],
    [{ jwt: { jwksUrl: 'https://[::ffff:127.0.0.1]/' } }, 'public internet'],
    [{ jwt: { jwksUrl: 'http://localhost/' } }, 'SERVICE_ALLOW_PRIVATE_JWKS=on'],
  ])('automations refuse %j with hookgate’s message and save nothing', async (incomingWebhook, words) => {
    const count = async () => (await subject.database.query('SELECT FROM automations')).length
    const before = await count()
    const { status, body } = await subject.post(PATH, webhook(incomingWebhook))
    expect([status, body.code]).toStrictEqual([400, 'webhook_invalid'])
    expect(body.detail).toContain(words)
    expect(await count()).toBe(before)
  })

  it.each(['0.0.0.0/0', '::/0'])('automations refuse %s and say to set null instead', async (everyone) => {
    const incomingWebhook = { hmac: {}, allowedCidrs: ['192.0.2.0/24', everyone] }
    const { status, body } = await subject.post(PATH, webhook(incomingWebhook))
    const detail = 'allows every address; to allow them all, set allowedCidrs to null'
    const pointer = '/trigger/incomingWebhook/allowedCidrs/1'
    expect([status, body.code, body.errors]).toEqual([400, 'request_invalid', [{ pointer, detail }]])
  })

  it.each([
    ['no steps', []],
    ['too many steps', Array.from({ length: 21 }, () => RECORD[0])],
    ['an unknown step', [{ type: 'delete_everything' }]],
    ['no CEL', [{ type: 'record', valueCel: '1 +' }]],
    ['an unknown variable', [{ type: 'record', valueCel: 'process.env' }]],
    ['an expression that is too long', [{ type: 'record', valueCel: `"${'x'.repeat(2_000)}"` }]],
    ['a task that is not a string', [{ type: 'create_task', taskCel: '"task"' }]],
    ['a misspelt member', [{ type: 'record', value: '1' }]],
  ])('automations refuse to save %s', async (_, steps) => {
    const { status, body } = await subject.post(PATH, automation({ steps }))
    expect([status, body.code]).toStrictEqual([400, 'request_invalid'])
  })

  it('a PATCH changes only the fields that it names, never the method', async () => {
    const { automationId, listenerId } = await newSender(subject, { enabled: false, publish: false })
    const path = `${PATH}/${automationId}`
    const patched = await subject.patch(path, {
      displayName: 'Renamed',
      trigger: { incomingWebhook: { allowedCidrs: ['198.51.100.0/24'] } },
    })
    expect(patched.body.automation).toMatchObject({
      displayName: 'Renamed',
      steps: RECORD,
      trigger: { enabled: false, incomingWebhook: { listenerId, allowedCidrs: ['198.51.100.0/24'] } },
    })
    const enabled = await subject.patch(path, { trigger: { enabled: true } })
    expect(enabled.body.automation.trigger).toMatchObject({
      enabled: true,
      incomingWebhook: { allowedCidrs: ['198.51.100.0/24'] },
    })
    const open = await subject.patch(path, { trigger: { incomingWebhook: { allowedCidrs: null } } })
    expect(open.body.automation.trigger.incomingWebhook.allowedCidrs).toBeNull()
    const jwt = { jwksUrl: 'https://keys.example.com/' }
    const other = await subject.patch(path, { trigger: { incomingWebhook: { jwt } } })
    expect([other.status, other.body.code]).toStrictEqual([400, 'webhook_invalid'])
    for (const unset of [
      { displayName: null },
      { trigger: null },
      { updateMask: 'steps' },
      { id: automationId },
    ])
      expect((await subject.patch(path, unset)).body.code).toBe('request_invalid')
    const wrong = await subject.patch(path, { trigger: { incomingWebhook: { allowedCidrs: ['nonsense'] } } })
    expect([wrong.status, wrong.body.code]).toStrictEqual([400, 'webhook_invalid'])
  })

  it('the version increments when an automation is published', async () => {
    const { automationId } = await newSender(subject)
    const again = await subject.post(`${PATH}/${automationId}/action/publish`, undefined)
    expect(again.body.automation.publishedVersion).toBe(2)
    const nobody = await subject.post(`${PATH}/nobody/action/publish`, undefined)
    expect([nobody.status, nobody.body.code]).toStrictEqual([404, 'automation_unknown'])
  })

  it('every operation requires the role super_admin, and says so', async () => {
    const { automationId, listenerId } = await newSender(subject)
    await subject.database.query(
      `INSERT INTO access_tokens (id, secret_hash, user_id, roles) VALUES ('operator', $1, 'user-alan', '{operator}')
       ON CONFLICT DO NOTHING`,
      [hashOf('s'.repeat(43))],
    )
    const token = `svc_operator_${'s'.repeat(43)}`
    const asked = [
      ['POST', PATH, automation()],
      ['GET', PATH],
      ['GET', `${PATH}/${automationId}`],
      ['PATCH', `${PATH}/${automationId}`, { displayName: 'mine' }],
      ['DELETE', `${PATH}/${automationId}`],
      ['POST', '/api/v1/search/automations', {}],
      ['POST', `${PATH}/${automationId}/action/publish`],
      ['GET', `${PATH}/${automationId}/runs`],
      ['GET', `${PATH}/${automationId}/records`],
      ['GET', '/api/v1/runs/any'],
      ['POST', `/api/v1/listeners/${listenerId}/action/rotate-secret`],
      ['DELETE', `/api/v1/listeners/${listenerId}/secrets/any`],
    ] as const
    for (const [method, path, body] of asked) {
      const reply = await subject.ask(method, path, body, token)
      expect([method, path, reply.status, reply.body.code]).toStrictEqual([method, path, 403, 'forbidden'])
    }
  })
})

describeService('the lists of automations', (subject) => {
  it('the lists return automations, runs and records in pages, newest first, each once', async () => {
    const sender = await newSender(subject, { steps: [{ type: 'record', valueCel: 'ctx.trigger' }] })
    for (let number = 0; number < 23; number += 1) await sendAccepted(subject, sender, `${number}`)
    const seen: string[] = []
    let token = ''
    do {
      const { body } = await subject.get(
        `${PATH}/${sender.automationId}/runs?page_size=10&page_token=${token}`,
      )
      seen.push(...body.list.map(({ run }: { run: { input: string } }) => run.input))
      token = body.nextPageToken
    } while (token !== '')
    expect(seen).toStrictEqual(Array.from({ length: 23 }, (_, index) => `${22 - index}`))
    const [first] = (await subject.get(`${PATH}/${sender.automationId}/runs`)).body.list
    expect((await subject.get(`/api/v1/runs/${first.run.id}`)).body).toStrictEqual(first.run)
  })

  it('the lists refuse a page token from another automation’s runs', async () => {
    const [one, two] = [await newSender(subject), await newSender(subject)]
    for (let number = 0; number < 11; number += 1) await sendAccepted(subject, one, `${number}`)
    const { body } = await subject.get(`${PATH}/${one.automationId}/runs?page_size=10`)
    expect(body.nextPageToken).not.toBe('')
    const foreign = await subject.get(`${PATH}/${two.automationId}/runs?page_token=${body.nextPageToken}`)
    expect([foreign.status, foreign.body.code]).toStrictEqual([400, 'page_token_invalid'])
  })
})
