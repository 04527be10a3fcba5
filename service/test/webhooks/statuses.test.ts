import { expect, it, onTestFinished, vi } from 'vitest'
import { deliver, newSender, recordsOf, runsOf, send, signed, workAll } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

describeService('the webhook endpoint', (subject) => {
  const age = (eventId: string, seconds: number) =>
    subject.database.query(
      "UPDATE claimed_events SET expires_at = expires_at - $2 * interval '1 second' WHERE event_id = $1",
      [eventId, seconds],
    )

  it('the endpoint answers 200 after storing the event, its run and its job, and runs the automation once', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    const { status, body } = await send(subject, sender, { number: 1 }, eventId)
    expect([status, body]).toStrictEqual([200, { runId: expect.any(String) }])
    expect(await runsOf(subject, sender)).toMatchObject([
      { state: 'RUN_STATE_PENDING', finishedAt: null, steps: [] },
    ])
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
    expect(await runsOf(subject, sender)).toMatchObject([
      { id: body.runId, eventId, state: 'RUN_STATE_SUCCEEDED', input: '{"number":1}', version: 1 },
    ])
  })

  it.each(['?x=1', '?', '/', '/more'])(
    'the endpoint answers 404 if %s follows the URL, and records nothing',
    async (more) => {
      const sender = await newSender(subject)
      const request = await signed(subject, sender)
      const { status, body } = await deliver(subject, { path: `${sender.path}${more}` }, request)
      expect([status, body.code]).toStrictEqual([404, 'route_unknown'])
      expect(await runsOf(subject, sender)).toStrictEqual([])
    },
  )

  it('the endpoint answers 409 to an event’s second delivery, whatever its body, time or letter case', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    expect((await send(subject, sender, { number: 1 }, eventId)).status).toBe(200)
    subject.clock.advanceSeconds(3 * 86_400)
    for (const id of [eventId, eventId.toUpperCase()]) {
      const { status, body } = await send(subject, sender, { number: 2 }, id)
      expect([status, body.code]).toStrictEqual([409, 'event_duplicate'])
    }
    await workAll(subject)
    expect(await recordsOf(subject, sender)).toStrictEqual([{ number: 1 }])
  })

  it('the endpoint answers 409 for 7 days, then accepts the event again', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    expect((await send(subject, sender, {}, eventId)).status).toBe(200)
    await age(eventId, 7 * 86_400 - 60) // gives this test enough time
    expect((await send(subject, sender, {}, eventId)).status).toBe(409)
    await age(eventId, 60)
    expect((await send(subject, sender, {}, eventId)).status).toBe(200)
  })

  it('the endpoint answers 409 for 7 days to an event that an earlier version marked as done when it claimed it', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    await subject.database.query(
      `INSERT INTO claimed_events (event_id, listener_id, expires_at, done, owner)
       VALUES ($1, $2, clock_timestamp() + interval '7 days', TRUE, 'an earlier delivery')`,
      [eventId, sender.listenerId],
    )
    await age(eventId, 7 * 86_400 - 60)
    const { status, body } = await send(subject, sender, {}, eventId)
    expect([status, body.code]).toStrictEqual([409, 'event_duplicate'])
    expect(await runsOf(subject, sender)).toStrictEqual([])
    await age(eventId, 60)
    expect((await send(subject, sender, {}, eventId)).status).toBe(200)
  })

  it('the endpoint treats an event ID at another listener as another event', async () => {
    const [one, two] = [await newSender(subject), await newSender(subject)]
    const eventId = crypto.randomUUID()
    expect((await send(subject, one, { of: 'one' }, eventId)).status).toBe(200)
    expect((await send(subject, two, { of: 'two' }, eventId)).status).toBe(200)
    await workAll(subject)
    expect(await recordsOf(subject, one)).toStrictEqual([{ of: 'one' }])
    expect(await recordsOf(subject, two)).toStrictEqual([{ of: 'two' }])
  })

  it('the endpoint answers 401 alike to another listener’s secret, a changed body and a missing signature', async () => {
    const [one, two] = [await newSender(subject), await newSender(subject)]
    const right = await signed(subject, one)
    const { 'webhook-signature': _, ...unsigned } = right.headers
    const warned = vi.spyOn(console, 'warn')
    onTestFinished(() => warned.mockRestore())
    subject.reports.length = 0
    const replies = [
      await deliver(subject, two, right),
      await deliver(subject, one, { ...right, body: new TextEncoder().encode('{"hello":"World"}') }),
      await deliver(subject, one, { ...right, headers: unsigned }),
      await deliver(subject, one, {
        ...right,
        headers: { ...unsigned, authorization: `Bearer ${subject.token}` },
      }),
    ]
    const line = expect.stringMatching(
      /^listener \S+ refused a delivery: (\w+)\. What to do: docs\/errors\.md#\1$/,
    )
    expect(subject.reports).toEqual([line, line, line]) // each reason of a listener once a minute
    expect(warned).not.toHaveBeenCalled()
    for (const { status, body, headers } of replies) {
      expect([status, body]).toStrictEqual([
        401,
        { status: 401, title: 'Unauthorized', code: 'unauthorized' },
      ])
      expect(headers.get('content-type')).toBe('application/problem+json')
    }
    expect(await runsOf(subject, one)).toStrictEqual([])
    expect((await deliver(subject, one, right)).status).toBe(200)
  })

  it.each([
    ['timestamp_out_of_range', { timestampOff: -301 }],
    ['timestamp_out_of_range', { timestampOff: 301 }],
    ['event_id_not_uuid_v4', { eventId: '0190163d-8694-739b-aea5-966c26f8ad91' }],
    ['body_not_json', { body: '{"hello":' }],
    ['body_too_large', { body: `"${'x'.repeat(65_535)}"` }],
    ['content_type_not_json', { headers: { 'content-type': 'text/plain' } }],
    ['header_missing', { headers: { 'webhook-event-id': '' } }],
    ['header_missing', { headers: { 'webhook-timestamp': '' } }],
    ['timestamp_malformed', { headers: { 'webhook-timestamp': 'now' } }],
  ])('the endpoint answers 400 %s to %j', async (code, wrong: WrongDelivery) => {
    const sender = await newSender(subject)
    const at = { clock: { now: () => subject.clock.now() + (wrong.timestampOff ?? 0) * 1000 } }
    const request = await signed(Object.assign(Object.create(subject), at), sender, wrong.body, wrong.eventId)
    const reply = await deliver(subject, sender, {
      ...request,
      headers: { ...request.headers, ...wrong.headers },
    })
    expect([reply.status, reply.body]).toStrictEqual([400, { status: 400, title: 'Bad Request', code }])
    expect(await runsOf(subject, sender)).toStrictEqual([])
  })

  it('the endpoint accepts the limits: 300 seconds off, 65,536 bytes', async () => {
    const sender = await newSender(subject)
    for (const off of [-300, 300]) {
      const at = { clock: { now: () => subject.clock.now() + off * 1000 } }
      const request = await signed(Object.assign(Object.create(subject), at), sender)
      expect((await deliver(subject, sender, request)).status).toBe(200)
    }
    expect((await send(subject, sender, `"${'x'.repeat(65_534)}"`)).status).toBe(200)
  })

  it.each(['00000000-0000-4000-8000-000000000000', 'x', '%00', "';--", 'a'.repeat(5_000)])(
    'the endpoint answers 404 for the unknown listener %.40s',
    async (id) => {
      const sender = await newSender(subject)
      const reply = await deliver(
        subject,
        { path: `/api/v1/webhooks/incoming/${id}` },
        await signed(subject, sender),
      )
      expect([reply.status, reply.body.code]).toStrictEqual([404, 'listener_unknown'])
    },
  )

  it.each(['/', '//', '/again', '/?a=b'])(
    'the endpoint answers 404, not 401, if %s follows a listener’s address',
    async (more) => {
      const sender = await newSender(subject)
      const reply = await deliver(subject, { path: `${sender.path}${more}` }, await signed(subject, sender))
      expect([reply.status, reply.body.code, reply.headers.has('www-authenticate')]).toStrictEqual([
        404,
        'route_unknown',
        false,
      ])
      expect(reply.body.detail).toContain('/api/v1/webhooks/incoming/{listener_id}')
      expect(await runsOf(subject, sender)).toStrictEqual([])
    },
  )

  it('the endpoint accepts any valid JSON as input and keeps it unchanged', async () => {
    const sender = await newSender(subject, { steps: [{ type: 'record', valueCel: 'size([ctx.trigger])' }] })
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    const bodies = ['null', ' 7.10 ', '"\\u0000"', '"\\ud800"', '{"a":1,"a":2}', '12345678901234567890', deep]
    for (const body of bodies) expect((await send(subject, sender, body)).status).toBe(200)
    const runs = await runsOf(subject, sender)
    expect(runs.map(({ input }: { input: string }) => input)).toStrictEqual(bodies.toReversed())
  })
})

interface WrongDelivery {
  readonly timestampOff?: number
  readonly eventId?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}
