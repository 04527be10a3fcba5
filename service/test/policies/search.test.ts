import { beforeAll, expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

const PATH = '/api/v1/search/policies'

describeService(`POST ${PATH}`, (subject) => {
  const ids: string[] = []

  beforeAll(async () => {
    for (const [displayName, description, word] of [
      ['Contractors', 'Two approvals', 'grant'],
      ['Leavers', 'For contractors, too', 'revoke'],
      ['100%_sure', '', 'grant'],
    ] as const) {
      const { body } = await subject.post('/api/v1/policies', {
        ...{ displayName, description, policyType: `POLICY_TYPE_${word.toUpperCase()}` },
        policySteps: { [word]: { steps: [{ approval: {} }] } },
      })
      ids.push(body.policy.id)
    }
  })

  /** The results as positions in `ids`. */
  const found = async (filters: object) => {
    const { status, body } = await subject.post(PATH, filters)
    expect([filters, status]).toEqual([filters, 200])
    return body.list.map(({ policy }) => ids.indexOf(policy.id))
  }

  it('the search finds a literal substring of the display name or description, ignoring case', async () => {
    expect(await found({ query: 'CONTRACTOR' })).toEqual([0, 1])
    expect(await found({ query: '%_' })).toEqual([2])
    expect(await found({ query: 'nothing of the sort' })).toEqual([])
    expect(await found({ displayName: 'leavers' })).toEqual([1])
    expect(await found({ displayName: 'leaver' })).toEqual([])
  })

  it('the search combines filters by type and ID', async () => {
    const refs = ids.map((id) => ({ id }))
    expect(await found({ refs })).toEqual([0, 1, 2])
    expect(await found({ refs, policyTypes: ['POLICY_TYPE_GRANT'] })).toEqual([0, 2])
    expect(await found({ refs, policyTypes: [], excludePolicyIds: [ids[0]] })).toEqual([1, 2])
    expect(await found({ refs, query: 'c', excludePolicyIds: [ids[0]] })).toEqual([1])
    expect(await found({ refs: [{ id: 'none' }] })).toEqual([])
  })

  it('the search lists all policies without filters, in pages', async () => {
    for (let count = 0; count < 9; count++) {
      const policySteps = { grant: { steps: [{ approval: {} }] } }
      await subject.post('/api/v1/policies', {
        displayName: 'n',
        policyType: 'POLICY_TYPE_GRANT',
        policySteps,
      })
    }
    const first = (await subject.get('/api/v1/policies?page_size=10')).body
    expect((await subject.post(PATH, { page_size: 10 })).body).toEqual(first)
    const second = (await subject.post(PATH, { page_size: 10, page_token: first.nextPageToken })).body
    expect(second.list.length).toBeGreaterThan(2)
    const foreign = await subject.post(PATH, { query: 'n', page_token: first.nextPageToken })
    expect([foreign.status, foreign.body.code]).toEqual([400, 'page_token_invalid'])
  })

  it('the search shows deleted policies on request, with the time of deletion', async () => {
    const refs = [{ id: ids[1] }]
    await subject.ask('DELETE', `/api/v1/policies/${ids[1]}`)
    expect(await found({ refs })).toEqual([])
    const [deleted] = (await subject.post(PATH, { refs, includeDeleted: true })).body.list
    expect(deleted.policy.deletedAt).toBe(new Date(subject.clock.now()).toISOString())
  })

  it('the search is allowed for every role', async () => {
    expect((await subject.post(PATH, {}, await subject.tokenWith('viewer'))).status).toBe(200)
  })
})
