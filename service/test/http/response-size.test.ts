import { expect, it } from 'vitest'
import { describeService, type Subject } from '../support/databases.ts'

const uuid = (number: number) => `0b0e7d3c-0001-4000-8000-${`${number}`.padStart(12, '0')}`
const sequences = (count: number, steps: object[] = [{ approval: {} }]) =>
  Object.fromEntries(Array.from({ length: count }, (_, number) => [uuid(number), { steps }]))

/** A policy with a baseline and this many other sequences. */
function create(subject: Subject, others: number, steps?: object[]) {
  return subject.post('/api/v1/policies', {
    displayName: 'large',
    policyType: 'POLICY_TYPE_GRANT',
    policySteps: { grant: { steps: [{ approval: {} }] }, ...sequences(others, steps) },
  })
}

describeService('the size of a response', (subject) => {
  it('a policy has at most 51 sequences: the baseline, and one for each of 50 rules', async () => {
    expect((await create(subject, 50)).status).toBe(200)
    const { status, body } = await create(subject, 51)
    expect([status, body.errors]).toEqual([
      400,
      [{ pointer: '/policySteps', detail: 'must have at most 51 entries' }],
    ])
    expect((await create(subject, 3_000)).status).toBe(400)
  })

  it('a page of large elements ends early, and the next page continues after it', async () => {
    const steps = Array.from({ length: 50 }, () => ({ approval: { userIds: ['user-ada'] } }))
    const { id: policyId } = (await create(subject, 50, steps)).body.policy
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
    const made: string[] = []
    for (let number = 0; number < 30; number += 1) {
      const { body } = await subject.post('/api/v1/tasks', { type: { grant }, policyId })
      made.unshift(body.taskView.task.id)
    }
    const seen: string[] = []
    let page_token = ''
    let pages = 0
    do {
      const request = { page_size: 100, page_token, expandMask: { paths: ['*'] } }
      const { body } = await subject.post('/api/v1/search/tasks', request)
      expect(JSON.stringify(body).length).toBeLessThan(5_000_000)
      seen.push(...body.list.map(({ task }) => task.id))
      page_token = body.nextPageToken
      pages += 1
    } while (page_token !== '')
    expect(seen.slice(0, made.length)).toEqual(made)
    expect(pages).toBeGreaterThan(1)
    expect(new Set(seen).size).toBe(seen.length)
  }, 60_000)

  it('a page ends early when what its tasks refer to is large, and each reference stays right', async () => {
    const insight = (length: number) => subject.post('/api/v1/insights', { text: 'x'.repeat(length) })
    expect((await insight(16_385)).status).toBe(400)
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
    for (let number = 0; number < 12; number += 1) {
      const insightIds: string[] = []
      for (let count = 0; count < 30; count += 1) insightIds.push((await insight(16_000)).body.insight.id)
      const { status } = await subject.post('/api/v1/tasks', { type: { grant }, insightIds })
      expect(status).toBe(200)
    }
    const request = { page_size: 10, expandMask: { paths: ['*'] } }
    const { body } = await subject.post('/api/v1/search/tasks', request)
    expect(JSON.stringify(body).length).toBeLessThan(5_000_000)
    expect(body.list).toHaveLength(5)
    for (const { task, insightsPath } of body.list) {
      const places: number[] = JSON.parse(insightsPath.replace('$.expanded', ''))
      expect(places.map((place) => body.expanded[place]?.id).toSorted()).toEqual(task.insightIds.toSorted())
    }
  }, 60_000)

  it('a page of policies is bounded too', async () => {
    const text = 'x'.repeat(250_000)
    for (let number = 0; number < 20; number += 1) {
      const { status } = await subject.post('/api/v1/policies', {
        displayName: 'wide',
        policyType: 'POLICY_TYPE_GRANT',
        policySteps: { grant: { steps: [{ approval: {} }] } },
        scope: { text },
      })
      expect(status).toBe(200)
    }
    const { body } = await subject.get('/api/v1/policies?page_size=100')
    expect(JSON.stringify(body).length).toBeLessThan(5_000_000)
    expect(body.nextPageToken).not.toBe('')
  }, 60_000)
})
