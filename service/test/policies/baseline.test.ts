import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import type { Transaction } from '../../src/database/database.ts'
import { updatePolicy } from '../../src/policies/write.ts'
import { describeService } from '../support/databases.ts'

/** Resolves when a statement waits for a lock or is done. PGlite starts no other transaction before this one ends. */
async function untilWaiting(tx: Transaction, done: () => boolean): Promise<void> {
  for (let polls = 0; polls < 500 && !done(); polls++) {
    const waiting = await tx.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    if (waiting.length > 0) return
  }
}

const STEPS = { steps: [{ approval: {} }] }

describeService('baselinePolicyId', (subject) => {
  const create = (body: object) =>
    subject.post('/api/v1/policies', { displayName: 'p', policyType: 'POLICY_TYPE_GRANT', ...body })
  const base = async () => (await create({ policySteps: { grant: STEPS } })).body.policy.id as string
  const deferring = async (baselinePolicyId: string) => {
    const { status, body } = await create({ baselinePolicyId })
    return status === 200 ? (body.policy.id as string) : Promise.reject(new Error(body.detail))
  }
  const patch = (id: string, body: object) => subject.patch(`/api/v1/policies/${id}`, body)
  const refusal = async (reply: Promise<{ status: number; body: { code: string; detail: string } }>) => {
    const { status, body } = await reply
    expect([status, body.code]).toEqual([400, 'policy_invalid'])
    return body.detail
  }

  it('baselinePolicyId is required unless there is a baseline entry, and excludes one', async () => {
    const baselinePolicyId = await base()
    expect(await refusal(create({ baselinePolicyId, policySteps: { grant: STEPS } }))).toMatch('either')
    expect(await refusal(create({}))).toMatch('either')
    expect((await create({ baselinePolicyId, policySteps: {} })).status).toBe(200)
  })

  it('baselinePolicyId must name an existing policy of the same type', async () => {
    expect(await refusal(create({ baselinePolicyId: 'builtin-revoke' }))).toMatch('same type')
    expect(await refusal(create({ baselinePolicyId: 'none' }))).toMatch('names no policy')
    expect((await create({ baselinePolicyId: 'builtin-grant' })).status).toBe(200)
  })

  it('baselinePolicyId must not form a cycle', async () => {
    const first = await base()
    const second = await deferring(first)
    const third = await deferring(second)
    expect(await refusal(patch(first, { baselinePolicyId: first, policySteps: {} }))).toMatch('itself')
    expect(await refusal(patch(first, { baselinePolicyId: third, policySteps: {} }))).toMatch('lead back')
  })

  it('baselinePolicyId allows chains of 5 references, not 6', async () => {
    let id = await base()
    for (let depth = 1; depth <= 5; depth++) id = await deferring(id)
    expect(await refusal(create({ baselinePolicyId: id }))).toMatch('chain of 6')
  })

  it('baselinePolicyId counts references in both directions: 3 and 2 may join, 3 and 3 may not', async () => {
    const [left, right] = [await base(), await base()]
    const end = await deferring(await deferring(left))
    await deferring(await deferring(right))
    expect((await patch(right, { baselinePolicyId: end, policySteps: {} })).status).toBe(200)
    const far = await base()
    await deferring(await deferring(await deferring(far)))
    expect(await refusal(patch(far, { baselinePolicyId: end, policySteps: {} }))).toMatch('chain of 6')
  })

  it('baselinePolicyId does not let two concurrent changes form a cycle', async () => {
    const [first, second] = [await base(), await base()]
    const refer = (tx: Transaction, from: string, to: string) =>
      updatePolicy(tx, from, { baselinePolicyId: to, policySteps: {} }, subject.dependencies)
    let other: Promise<unknown> | undefined
    await subject.database.transaction(async (tx) => {
      await refer(tx, first, second)
      let settled = false
      other = subject.database
        .transaction((otherTx) => refer(otherTx, second, first))
        .catch((error) => error)
        .finally(() => {
          settled = true
        })
      await untilWaiting(tx, () => settled)
    })
    expect(await other).toMatchObject({
      code: 'policy_invalid',
      message: expect.stringContaining('lead back'),
    })
  })

  it('baselinePolicyId is cleared by an empty value that comes with a baseline entry', async () => {
    const id = await deferring(await base())
    const { status, body } = await patch(id, { baselinePolicyId: '', policySteps: { grant: STEPS } })
    expect([status, body.policy.baselinePolicyId]).toEqual([200, ''])
  })

  it('baselinePolicyId is refused while its feature is off', async () => {
    const app = createApp(subject.with({ SERVICE_BASELINE_POLICIES: false }))
    const reply = await app.request('/api/v1/policies', {
      method: 'POST',
      headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        displayName: 'p',
        policyType: 'POLICY_TYPE_GRANT',
        baselinePolicyId: 'builtin-grant',
      }),
    })
    expect([reply.status, await reply.json()]).toMatchObject([403, { code: 'feature_disabled' }])
  })
})
