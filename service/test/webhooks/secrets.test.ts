import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { newSender, runsOf, send, signed } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

describeService('signing secrets', (subject) => {
  const rotate = async (listenerId: string) => {
    const { status, body, headers } = await subject.post(
      `/api/v1/listeners/${listenerId}/action/rotate-secret`,
      undefined,
    )
    expect([status, headers.get('cache-control')]).toStrictEqual([200, 'no-store'])
    return body.signingSecret
  }
  const liveOf = async (automationId: string) =>
    (await subject.get(`/api/v1/automations/${automationId}`)).body.automation.trigger.incomingWebhook.hmac
      .secrets
  const withdraw = (listenerId: string, id: string) =>
    subject.ask('DELETE', `/api/v1/listeners/${listenerId}/secrets/${id}`)

  it('secrets are 256 bits of base64url, shown once and never in a later reply or a row', async () => {
    const sender = await newSender(subject)
    expect(sender.secret).toMatch(/^[\w-]{43}$/)
    const rotated = await rotate(sender.listenerId)
    expect(rotated.secret).toMatch(/^[\w-]{43}$/)
    const replies = await Promise.all(
      ['/api/v1/automations', `/api/v1/automations/${sender.automationId}`].map((path) => subject.get(path)),
    )
    const rows = await subject.database.query(
      "SELECT *, encode(sealed, 'escape') AS text, encode(sealed, 'base64') AS code FROM listener_secrets",
    )
    for (const secret of [sender.secret, rotated.secret]) {
      expect(JSON.stringify(replies)).not.toContain(secret)
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40))
    }
    expect(await liveOf(sender.automationId)).toStrictEqual([
      { id: expect.any(String), createdAt: expect.any(String) },
      { id: rotated.id, createdAt: expect.any(String) },
    ])
  })

  it('secrets stay live as the latest two during a rotation', async () => {
    const sender = await newSender(subject)
    const statusWith = async (secret: string) => (await send(subject, { ...sender, secret })).status
    expect(await statusWith(sender.secret)).toBe(200)
    const second = await rotate(sender.listenerId)
    expect([await statusWith(sender.secret), await statusWith(second.secret)]).toStrictEqual([200, 200])
    const third = await rotate(sender.listenerId)
    expect(await statusWith(sender.secret)).toBe(401)
    expect([await statusWith(second.secret), await statusWith(third.secret)]).toStrictEqual([200, 200])
  })

  it('secrets stop working when withdrawn, except the last, which cannot be', async () => {
    const sender = await newSender(subject)
    const [old] = await liveOf(sender.automationId)
    const last = await withdraw(sender.listenerId, old.id)
    expect([last.status, last.body.code]).toStrictEqual([409, 'secret_last'])
    const { id, secret } = await rotate(sender.listenerId)
    const { status, body } = await withdraw(sender.listenerId, old.id)
    expect([status, body.secrets]).toStrictEqual([200, [{ id, createdAt: expect.any(String) }]])
    expect((await send(subject, sender)).status).toBe(401)
    expect((await send(subject, { ...sender, secret })).status).toBe(200)
    expect((await withdraw(sender.listenerId, old.id)).body.code).toBe('secret_unknown')
  })

  it('two secrets remain after ten concurrent rotations', async () => {
    const sender = await newSender(subject)
    const made = await Promise.all(Array.from({ length: 10 }, () => rotate(sender.listenerId)))
    expect(await liveOf(sender.automationId)).toHaveLength(2)
    const statuses = await Promise.all(
      made.map(async ({ secret }) => (await send(subject, { ...sender, secret })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
  })

  it('secrets cannot be rotated or withdrawn through another listener', async () => {
    const [one, two] = [await newSender(subject), await newSender(subject)]
    const [secret] = await liveOf(one.automationId)
    await rotate(two.listenerId)
    expect((await withdraw(two.listenerId, secret.id)).body.code).toBe('secret_unknown')
    expect((await send(subject, one)).status).toBe(200)
    const nobody = await subject.post('/api/v1/listeners/nobody/action/rotate-secret', undefined)
    expect([nobody.status, nobody.body.code]).toStrictEqual([404, 'listener_unknown'])
  })

  it('secrets cannot be opened for another listener, even if rows are swapped', async () => {
    const [thief, owner] = [await newSender(subject), await newSender(subject)]
    await subject.database.query(
      `UPDATE listener_secrets SET sealed = other.sealed FROM listener_secrets AS other
       WHERE listener_secrets.listener_id = $1 AND other.listener_id = $2`,
      [owner.listenerId, thief.listenerId],
    )
    const forged = await signed(subject, thief)
    subject.reports.length = 0
    expect((await subject.app.request(owner.path, forged)).status).toBe(503)
    expect(await runsOf(subject, owner)).toStrictEqual([])
    expect(subject.reports.splice(0)).toHaveLength(2)
  })

  it('secrets change at once in another process that already knows the listener', async () => {
    const sender = await newSender(subject)
    const other = createApp(subject.dependencies)
    const statusAtOther = async (secret: string) =>
      (await other.request(sender.path, await signed(subject, { secret }))).status
    expect(await statusAtOther(sender.secret)).toBe(200)
    const [{ id }] = await liveOf(sender.automationId)
    const { secret } = await rotate(sender.listenerId)
    expect([await statusAtOther(sender.secret), await statusAtOther(secret)]).toStrictEqual([200, 200])
    await withdraw(sender.listenerId, id)
    expect([await statusAtOther(sender.secret), await statusAtOther(secret)]).toStrictEqual([401, 200])
  })
})
