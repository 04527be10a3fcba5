import { expect, it } from 'vitest'
import { newSender, RECORD, recordsOf, send, sendAccepted, workAll } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'

const PATH = '/api/v1/automations'

describeService('DELETE of an automation', (subject) => {
  const remove = async (id: string) => {
    const { status, body } = await subject.ask('DELETE', `${PATH}/${id}`)
    return `${status} ${body.code ?? 'done'}`
  }

  it('the listener and the secrets of an automation are deleted with it, but accepted events still run', async () => {
    const sender = await newSender(subject)
    const accepted = await send(subject, sender, { number: 1 })
    expect(await remove(sender.automationId)).toBe('200 done')
    expect(await remove(sender.automationId)).toBe('404 automation_unknown')
    const late = await send(subject, sender, { number: 2 })
    expect([late.status, late.body.code]).toEqual([404, 'listener_unknown'])
    await workAll(subject)
    const run = await subject.get(`/api/v1/runs/${accepted.body.runId}`)
    expect(run.body).toMatchObject({ state: 'RUN_STATE_SUCCEEDED' })
    for (const table of ['listeners', 'listener_secrets']) {
      const rows = await subject.database.query<object>(`SELECT * FROM ${table}`)
      expect(JSON.stringify(rows)).not.toContain(sender.listenerId)
    }
  })

  it('every route of a deleted automation answers 404', async () => {
    const { automationId, listenerId } = await newSender(subject)
    await remove(automationId)
    for (const [method, path, body] of [
      ['GET', `${PATH}/${automationId}`],
      ['GET', `${PATH}/${automationId}/runs`],
      ['PATCH', `${PATH}/${automationId}`, { displayName: 'x' }],
      ['POST', `${PATH}/${automationId}/action/publish`],
      ['POST', `/api/v1/listeners/${listenerId}/action/rotate-secret`],
    ] as const) {
      const { status } = await subject.ask(method, path, body)
      expect([method, path, status]).toEqual([method, path, 404])
    }
    const { list } = (await subject.get(`${PATH}?page_size=100`)).body
    expect(list.map(({ automation }) => automation.id)).not.toContain(automationId)
  })

  it('each delivery that races a DELETE is either accepted and run, or refused', async () => {
    const sender = await newSender(subject)
    const sending = Array.from({ length: 20 }, (_, number) => send(subject, sender, { number }))
    const [said, ...replies] = await Promise.all([remove(sender.automationId), ...sending])
    expect(said).toBe('200 done')
    const accepted = replies.filter(({ status }) => status === 200)
    for (const { status } of replies) expect([200, 404, 503]).toContain(status)
    await workAll(subject)
    const [kept] = await subject.database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM records WHERE automation_id = $1',
      [sender.automationId],
    )
    expect(kept?.count).toBe(accepted.length)
  })
})

describeService('POST /api/v1/search/automations', (subject) => {
  it('the search finds automations by words and by ID, in pages, newest first', async () => {
    const made: string[] = []
    for (let count = 0; count < 12; count++) {
      const trigger = { incomingWebhook: { hmac: {} } }
      const displayName = `Sync ${count}`
      const { body } = await subject.post(PATH, { displayName, steps: RECORD, trigger })
      made.unshift(body.automation.id)
    }
    const found = async (filters: object) => {
      const { body } = await subject.post('/api/v1/search/automations', filters)
      return { ids: body.list.map(({ automation }) => automation.id), next: body.nextPageToken }
    }
    const first = await found({ query: 'sync', page_size: 10 })
    const second = await found({ query: 'sync', page_size: 10, page_token: first.next })
    expect([...first.ids, ...second.ids]).toEqual(made)
    expect((await found({ query: 'SYNC 11' })).ids).toEqual(made.slice(0, 1))
    expect((await found({ refs: [{ id: made[3] }, { id: 'none' }] })).ids).toEqual([made[3]])
    expect((await found({ query: 'payroll' })).ids).toHaveLength(1)
  })
})

describeService('records', (subject) => {
  it('records stay listed while their automation exists', async () => {
    const [kept, gone] = [await newSender(subject), await newSender(subject)]
    await sendAccepted(subject, kept, 1)
    await sendAccepted(subject, gone, 2)
    await workAll(subject)
    await subject.ask('DELETE', `${PATH}/${gone.automationId}`)
    expect(await recordsOf(subject, kept)).toEqual([1])
  })
})
