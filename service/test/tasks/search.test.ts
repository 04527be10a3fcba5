import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

describeService('POST /api/v1/search/tasks', (subject) => {
  const create = async () => {
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01', identityUserId: 'user-alan' }
    return (await subject.post('/api/v1/tasks', { type: { grant } })).body.taskView.task.numericId
  }
  const search = async (body: object) => {
    const reply = await subject.post('/api/v1/search/tasks', body)
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    const ids: string[] = reply.body.list.map((view: { task: { numericId: string } }) => view.task.numericId)
    return { ids, next: reply.body.nextPageToken as string }
  }

  it('the search returns pages, newest first, while tasks come and go', async () => {
    for (let count = 0; count < 26; count++) await create()
    const first = await search({ page_size: 10 })
    expect(first.ids).toHaveLength(10)
    await create()
    await subject.database.query('DELETE FROM tasks WHERE numeric_id = $1', [first.ids.at(-1)])
    const second = await search({ page_size: 10, page_token: first.next })
    const third = await search({ page_size: 10, page_token: second.next })
    const seen = [...first.ids, ...second.ids, ...third.ids].map(Number)
    expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a))
    expect([seen.length, seen.at(-1), third.next]).toEqual([30, 1, ''])
  })

  it('the search takes page_size and page_token from the body, with the usual bounds', async () => {
    expect((await search({ page_size: 1 })).ids).toHaveLength(10)
    expect((await search({})).ids).toHaveLength(25)
    expect((await search({ page_size: 1000 })).ids.length).toBeGreaterThan(25)
    expect((await search({ page_size: 1e20 })).ids.length).toBeGreaterThan(25)
    const reply = await subject.post('/api/v1/search/tasks', { page_size: '10' })
    expect(reply.body.code).toBe('request_invalid')
  })

  it('the search binds a page token to the filters', async () => {
    const { next } = await search({ page_size: 10, taskStates: ['TASK_STATE_OPEN'] })
    for (const other of [
      {},
      { taskStates: ['TASK_STATE_CLOSED'] },
      { taskStates: ['TASK_STATE_OPEN'], userIds: [] },
    ]) {
      const reply = await subject.post('/api/v1/search/tasks', { ...other, page_token: next })
      expect([reply.status, reply.body.code]).toEqual([400, 'page_token_invalid'])
    }
    expect((await search({ taskStates: ['TASK_STATE_OPEN'], page_token: next })).ids).not.toHaveLength(0)
  })

  it('the search refuses a page token of another list', async () => {
    const { nextPageToken } = (await subject.get('/api/v1/apps/app-payroll/entitlements')).body
    const reply = await subject.post('/api/v1/search/tasks', { page_token: nextPageToken })
    expect(reply.body.code).toBe('page_token_invalid')
  })

  it('the search filters by state and by target', async () => {
    await subject.database.query(`UPDATE tasks SET state = 'TASK_STATE_CLOSED' WHERE numeric_id IN (5, 6)`)
    expect((await search({ taskStates: ['TASK_STATE_CLOSED'] })).ids).toEqual(['6', '5'])
    expect((await search({ userIds: ['user-grace'] })).ids).toEqual(['4', '3', '2', '1'])
    expect((await search({ userIds: [] })).ids).toEqual([])
    expect((await search({ userIds: ['user-alan'], taskStates: ['TASK_STATE_CLOSED'] })).ids).toEqual([
      '6',
      '5',
    ])
  })
})
