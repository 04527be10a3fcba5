import { expect, it } from 'vitest'
import {
  deliver,
  newSender,
  recordsOf,
  runsOf,
  send,
  sendAccepted,
  signed,
  workAll,
} from '../support/automations.ts'
import { describeService } from '../support/databases.ts'
import { openApiOf, operationAt, problemOf } from '../support/openapi.ts'

describeService('an automation that is not running', (subject) => {
  it.each([
    { publish: false, enabled: true },
    { publish: true, enabled: false },
    { publish: false, enabled: false },
  ])('503 has a Retry-After, and the same event is accepted once it runs: %j', async (state) => {
    const sender = await newSender(subject, state)
    const eventId = crypto.randomUUID()
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, headers, body } = await send(subject, sender, { number: 1 }, eventId)
      expect([status, body.code, headers.get('retry-after')]).toStrictEqual([
        503,
        'automation_not_running',
        '60',
      ])
    }
    expect(await runsOf(subject, sender)).toStrictEqual([])
    const path = `/api/v1/automations/${sender.automationId}`
    await subject.post(`${path}/action/publish`, undefined)
    await subject.patch(path, { trigger: { enabled: true } })
    expect((await send(subject, sender, { number: 1 }, eventId)).status).toBe(200)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('the automation reveals its state only to authenticated senders', async () => {
    const sender = await newSender(subject, { publish: false })
    const request = await signed(subject, { secret: 'somebody else’s secret' })
    expect((await deliver(subject, sender, request)).status).toBe(401)
  })

  it('the automation answers only as /openapi.json describes', async () => {
    const sender = await newSender(subject, { publish: false })
    const { body } = await send(subject, sender)
    const operation = operationAt(await openApiOf(subject), '/api/v1/webhooks/incoming/{listener_id}')
    const { properties } = problemOf(operation, 503)
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(body)))
  })

  it('the automation stops at once when its trigger is disabled, but still runs accepted events', async () => {
    const sender = await newSender(subject)
    expect((await send(subject, sender, { number: 1 })).status).toBe(200)
    await subject.patch(`/api/v1/automations/${sender.automationId}`, { trigger: { enabled: false } })
    expect((await send(subject, sender, { number: 2 })).status).toBe(503)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('the automation keeps running after its author’s token is revoked', async () => {
    const sender = await newSender(subject)
    const revoke = (at: Date | null) =>
      subject.database.query("UPDATE access_tokens SET revoked_at = $1 WHERE id = 'demo'", [at])
    await revoke(new Date())
    expect((await subject.get('/api/v1/automations')).status).toBe(401)
    expect((await send(subject, sender, { number: 1 })).status).toBe(200)
    await workAll(subject)
    await revoke(null)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('the automation runs the steps that were published when the event arrived', async () => {
    const sender = await newSender(subject, { steps: [{ type: 'record', valueCel: '"first"' }] })
    const path = `/api/v1/automations/${sender.automationId}`
    await sendAccepted(subject, sender)
    await subject.patch(path, { steps: [{ type: 'record', valueCel: '"second"' }] })
    await sendAccepted(subject, sender)
    await subject.post(`${path}/action/publish`, undefined)
    await sendAccepted(subject, sender)
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual(['second', 'first', 'first'])
    expect((await runsOf(subject, sender)).map(({ version }: { version: number }) => version)).toStrictEqual([
      2, 1, 1,
    ])
  })
})
