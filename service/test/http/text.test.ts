import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'
import { replyOf } from '../support/reply.ts'

const HALF = '\ud83d'
const WHOLE = '\ud83d\udca5'
const POLICY = { policyType: 'POLICY_TYPE_GRANT', policySteps: { grant: { steps: [{ accept: {} }] } } }
const TASK = { type: { grant: { appId: 'app-payroll', appEntitlementId: 'entitlement-01' } } }
const AUTOMATION = {
  displayName: 'Texts',
  steps: [{ type: 'record', valueCel: '1' }],
  trigger: { incomingWebhook: { hmac: {} } },
}

describeService('a text', (subject) => {
  it.each<[string, string, (text: string) => object, number]>([
    ['policies', 'name', (displayName) => ({ ...POLICY, displayName }), 200],
    ['policies', 'description', (description) => ({ ...POLICY, displayName: 'x', description }), 200],
    ['tasks', 'description', (description) => ({ ...TASK, description }), 200],
    ['tasks', 'name', (displayName) => ({ ...TASK, displayName }), 200],
    ['tasks', 'data', (member) => ({ ...TASK, data: { member } }), 200],
    ['automations', 'name', (displayName) => ({ ...AUTOMATION, displayName }), 200],
    ['search/tasks', 'user', (id) => ({ userIds: [id] }), 200],
  ])('%s (%s) with a lone surrogate is refused, not changed', async (resource, _, bodyWith, good) => {
    const path = `/api/v1/${resource}`
    const whole = await subject.post(path, bodyWith(WHOLE))
    expect([whole.status, whole.body.code]).toEqual([good, undefined])
    for (const text of [HALF, `${WHOLE}${HALF}`, `a\0b`]) {
      const { status, body } = await subject.post(path, bodyWith(text))
      expect([text, status, body.code]).toEqual([text, 400, 'text_not_storable'])
    }
  })

  it('a text of complete surrogate pairs is kept unchanged', async () => {
    const { id } = (await subject.post('/api/v1/policies', { ...POLICY, displayName: WHOLE })).body.policy
    expect((await subject.get(`/api/v1/policies/${id}`)).body.policy.displayName).toBe(WHOLE)
  })

  it('a text that is not UTF-8 is refused as invalid JSON', async () => {
    const [before, after] = [Buffer.from('{"policyStepId":"none","comment":"'), Buffer.from('"}')]
    const skip = async (...bytes: number[]) => {
      const body = Buffer.concat([before, Buffer.from(bytes), after])
      const headers = { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body }
      const reply = await subject.app.request('/api/v1/tasks/1/action/skip-step', init)
      return (await replyOf(reply)).body.code
    }
    expect(await skip(...Buffer.from(WHOLE))).toBe('policy_step_unknown')
    expect(await skip(0xff)).toBe('body_not_json')
    expect(await skip(0xed, 0xa0, 0x80)).toBe('body_not_json') // a lone surrogate, encoded
    expect(await skip(0xc0, 0xaf)).toBe('body_not_json')
  })
})
