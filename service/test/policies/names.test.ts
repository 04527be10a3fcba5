import { expect, it } from 'vitest'
import { describeService } from '../support/databases.ts'

/** An object literal with `__proto__` would set the prototype instead. */
const NAMES = '{"toString":"t","__proto__":"p","constructor":"c","hasOwnProperty":"h"}' // in the order of jsonb
const named = JSON.parse(NAMES)
const nested = JSON.parse(`{"id":"i","__proto__":${NAMES},"constructor":${NAMES}}`)

const TARGET = { appId: 'app-payroll', appEntitlementId: 'entitlement-01' }
const STEPS = { grant: { steps: [{ approval: nested }, { accept: nested }, { action: nested }] } }
const POLICY = { displayName: 'Odd names', policyType: 'POLICY_TYPE_GRANT', policySteps: STEPS }

describeService('members with a meaning in JavaScript (`__proto__`, `constructor`)', (subject) => {
  const polluted = () => [Reflect.get({}, 'id'), Reflect.get({}, 'p'), typeof {}.toString]

  it('such members are ordinary annotations: kept, listed, changed and deleted', async () => {
    const made = await subject.post('/api/v1/policies', { ...POLICY, annotations: named })
    expect([made.status, JSON.stringify(made.body.policy.annotations)]).toEqual([200, NAMES])
    const path = `/api/v1/policies/${made.body.policy.id}`
    const merged = await subject.patch(path, { annotations: JSON.parse('{"__proto__":"q","toString":""}') })
    const after = '{"__proto__":"q","constructor":"c","hasOwnProperty":"h"}'
    expect(JSON.stringify(merged.body.policy.annotations)).toBe(after)
    expect(JSON.stringify((await subject.get(path)).body.policy.annotations)).toBe(after)
    const { body } = await subject.get('/api/v1/policies?page_size=100')
    expect(JSON.stringify(body.list.at(-1)?.policy.annotations)).toBe(after)
    await subject.patch(path, { annotations: JSON.parse('{"__proto__":"","constructor":""}') })
    expect(JSON.stringify((await subject.get(path)).body.policy.annotations)).toBe('{"hasOwnProperty":"h"}')
    expect(polluted()).toEqual([undefined, undefined, 'function'])
  })

  it('such members obey the limits of annotations: strings, at most 256 characters, at most 16', async () => {
    const status = async (annotations: string) =>
      (await subject.post('/api/v1/policies', { ...POLICY, annotations: JSON.parse(annotations) })).status
    const others = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":"v"`).join()
    expect(await status(`{"__proto__":"${'v'.repeat(256)}"}`)).toBe(200)
    expect(await status(`{"__proto__":"${'v'.repeat(257)}"}`)).toBe(400)
    expect(await status('{"__proto__":{"k":"v"}}')).toBe(400)
    expect(await status('{"__proto__":null}')).toBe(400)
    expect(await status(`{"__proto__":"p",${others(15)}}`)).toBe(200)
    expect(await status(`{"__proto__":"p",${others(16)}}`)).toBe(400)
  })

  it('such members are refused as keys of policySteps and as fields of defined objects', async () => {
    for (const wrong of [
      {
        policySteps: JSON.parse(`{"grant":{"steps":[{"accept":{}}]},"__proto__":{"steps":[{"accept":{}}]}}`),
      },
      { policySteps: { ...STEPS, constructor: { steps: [{ accept: {} }] } } },
      JSON.parse('{"__proto__":{"description":"x"}}'),
    ]) {
      const { status } = await subject.post('/api/v1/policies', { ...POLICY, ...wrong })
      expect([wrong, status]).toEqual([wrong, 400])
    }
  })

  it('such members are kept in open-ended objects: steps, begun steps, scopes and post actions', async () => {
    const open = { scope: nested, postActions: [nested] }
    const { body } = await subject.post('/api/v1/policies', { ...POLICY, ...open })
    const given = JSON.stringify(nested)
    const { id: policyId, policySteps, scope, postActions } = body.policy
    const steps = policySteps.grant?.steps ?? []
    expect([scope, ...postActions].map((each) => JSON.stringify(each))).toEqual([given, given])
    expect(steps.map(({ approval, accept, action }) => JSON.stringify(approval ?? accept ?? action))).toEqual(
      [given, given, given],
    )
    const task = (await subject.post('/api/v1/tasks', { type: { grant: TARGET }, policyId })).body.taskView
      .task
    expect(JSON.stringify(task.policy.current.approval)).toBe(given)
    const path = `/api/v1/tasks/${task.id}/action/skip-step`
    const skipped = await subject.post(path, { policyStepId: task.policy.current.id })
    const [done] = skipped.body.taskView.task.policy.history
    expect(JSON.stringify(done.approval)).toContain(given.slice(0, -1))
    expect(done.approval).toMatchObject({ skipped: { userId: 'user-ada' } })
  })

  it('such members are kept in tasks, where rules and searches find them', async () => {
    const form = {
      id: 'f',
      displayName: '',
      description: '',
      fields: [
        {
          ...{ name: 'n', displayName: '', description: '', required: false, readOnly: false },
          stringMapField: { defaultValue: named, rules: nested },
          userConfig: { inputTransformationCel: '' },
        },
      ],
    }
    const condition =
      'ctx.task.data["__proto__"].toString == "t" && ctx.task.data.constructor["__proto__"] == "p"'
    const policyKey = crypto.randomUUID()
    const policySteps = { ...STEPS, [policyKey]: { steps: [{ wait: {} }] } }
    const policy = { ...POLICY, policySteps, rules: [{ condition, policyKey }] }
    const policyId = (await subject.post('/api/v1/policies', policy)).body.policy.id
    const action = { formValues: nested, scopeRole: nested }
    const made = await subject.post('/api/v1/tasks', { type: { action }, policyId, data: nested, form })
    expect(made.status, JSON.stringify(made.body)).toBe(200)
    const { body } = await subject.post('/api/v1/search/tasks', { expandMask: { paths: ['*'] } })
    for (const task of [made.body.taskView.task, body.list[0].task]) {
      expect(JSON.stringify([task.data, task.type.action.formValues, task.type.action.scopeRole])).toBe(
        JSON.stringify([nested, nested, nested]),
      )
      const [field] = task.form.fields
      expect(JSON.stringify([field.stringMapField.defaultValue, field.stringMapField.rules])).toBe(
        JSON.stringify([named, nested]),
      )
      expect(task.policy.current.wait).toEqual({})
    }
    expect(polluted()).toEqual([undefined, undefined, 'function'])
  })
})
