import { expect, it } from 'vitest'
import { taskResponse } from '../../src/tasks/schema/requests.ts'
import { describeService } from '../support/databases.ts'

const FORM = {
  id: 'form-1',
  displayName: 'Why',
  description: '',
  fields: [
    {
      name: 'days',
      displayName: 'Days',
      description: '',
      required: true,
      readOnly: false,
      stringField: null,
      boolField: null,
      stringSliceField: null,
      int64Field: {
        defaultValue: '9007199254740993',
        placeholder: '',
        rules: { int64: { gt: '0' } },
        numberField: {},
      },
      fileField: null,
      oauth2Field: null,
      stringMapField: null,
      userConfig: { inputTransformationCel: '' },
      adminConfig: null,
      sharedConfig: null,
    },
  ],
  fieldGroups: [{ name: 'g', displayName: 'G', helpText: '', default: true, fields: ['days'] }],
  fieldRelationships: [
    {
      fieldNames: ['days'],
      requiredTogether: null,
      atLeastOne: null,
      mutuallyExclusive: null,
      dependentOn: { dependencyFieldNames: ['reason'] },
    },
  ],
}

const CONFIG = { defaultValueCel: '', showToUser: true }

describeService('a Task', (subject) => {
  const create = (more: object = {}) => {
    const grant = { appId: 'app-payroll', appEntitlementId: 'entitlement-01', grantDuration: '3600s' }
    return subject.post('/api/v1/tasks', { type: { grant }, ...more })
  }

  it('a task has exactly the specification’s fields', async () => {
    const { body } = await create({ form: FORM, data: { a: [1, null] } })
    const { taskView, expanded } = taskResponse.parse(body)
    expect({ taskView, expanded }).toEqual(body)
    expect(Object.keys(body.taskView.task)).toHaveLength(28)
    expect(body.taskView.task).toMatchObject({ form: FORM, data: { a: [1, null] }, externalRefs: null })
  })

  it('a task has a nullable form, whose nulls a request may omit', async () => {
    const field = {
      name: 'days',
      displayName: 'Days',
      description: '',
      required: true,
      readOnly: false,
      stringField: { defaultValue: '', placeholder: '', dateField: {} },
      userConfig: { inputTransformationCel: '' },
    }
    const short = { id: 'form-1', displayName: 'Why', description: '', fields: [field] }
    const { form } = (await create({ form: short })).body.taskView.task
    expect(form).toMatchObject({ ...short, fieldGroups: null, fieldRelationships: null })
    expect(form.fields[0]).toMatchObject({
      int64Field: null,
      sharedConfig: null,
      stringField: { rules: null },
    })
    const { task } = (await create({ form: null, insightIds: null })).body.taskView
    expect(task).toMatchObject({ form: null, insightIds: [] })
  })

  it('a task has a form whose empty strings, false and empty maps a request may leave out', async () => {
    const types = {
      stringField: [{ textField: {} }, { defaultValue: '', placeholder: '', rules: null }],
      boolField: [{ checkboxField: {} }, { defaultValue: false, rules: null }],
      stringSliceField: [{ chipsField: {} }, { defaultValues: null, placeholder: '', rules: null }],
      int64Field: [{ numberField: {} }, { defaultValue: null, placeholder: '', rules: null }],
      fileField: [{}, { acceptedFileTypes: null, maxFileSize: null, fileInputField: null }],
      oauth2Field: [{}, { oauth2FieldView: null }],
      stringMapField: [{}, { defaultValue: {}, rules: null }],
    }
    const configs = {
      userConfig: { inputTransformationCel: '' },
      adminConfig: { defaultValueCel: '', showToUser: false },
      sharedConfig: { defaultValueCel: '', inputTransformationCel: '', lockDefaultValues: false },
    }
    const plain = { name: '', displayName: '', description: '', required: false, readOnly: false }
    const none = (members: object) => Object.fromEntries(Object.keys(members).map((name) => [name, null]))
    for (const [type, [given, filled]] of Object.entries(types)) {
      for (const [config, settings] of Object.entries(configs)) {
        const { form } = (await create({ form: { fields: [{ [type]: given, [config]: {} }] } })).body.taskView
          .task
        expect(form).toEqual({
          ...{ id: '', displayName: '', description: '', fieldGroups: null, fieldRelationships: null },
          fields: [
            {
              ...plain,
              ...none(types),
              ...none(configs),
              [config]: settings,
              [type]: expect.objectContaining({ ...filled, ...given }),
            },
          ],
        })
      }
    }
    const groups = { fieldGroups: [{}], fieldRelationships: [{ dependentOn: {} }] }
    const { form } = (await create({ form: groups })).body.taskView.task
    expect(form).toMatchObject({
      fieldGroups: [{ name: '', displayName: '', helpText: '', default: false, fields: null }],
      fieldRelationships: [{ fieldNames: null, dependentOn: { dependencyFieldNames: null } }],
    })
    expect(taskResponse.shape.taskView.safeParse((await create({ form: {} })).body.taskView).success).toBe(
      true,
    )
  })

  it('a task refuses a form with an unknown member, or with null where a string or a boolean belongs', async () => {
    const field = { stringField: { textField: {} }, userConfig: {} }
    for (const [form, pointer] of [
      [{ title: 'x' }, '/form'],
      [{ displayName: null }, '/form/displayName'],
      [{ fields: [{ ...field, required: null }] }, '/form/fields/0/required'],
      [{ fields: [{ ...field, hidden: false }] }, '/form/fields/0'],
      [{ fields: [{ ...field, stringField: { textField: {}, size: 1 } }] }, '/form/fields/0/stringField'],
      [{ fields: [{ userConfig: {} }] }, '/form/fields/0'],
      [{ fields: [{ ...field, stringField: {} }] }, '/form/fields/0/stringField'],
      [{ fieldGroups: [{ default: 'false' }] }, '/form/fieldGroups/0/default'],
      [{ fieldRelationships: [{}] }, '/form/fieldRelationships/0'],
    ] as const) {
      const { status, body } = await create({ form })
      expect([status, body.code, body.errors?.map((each) => each.pointer)]).toEqual([
        400,
        'request_invalid',
        [pointer],
      ])
    }
  })

  it('a task has a form that enforces exactly one of each exclusive set of members', async () => {
    const [field] = FORM.fields
    const stringField = { defaultValue: '', placeholder: '', rules: null }
    for (const wrong of [
      { int64Field: null },
      { userConfig: null },
      { adminConfig: { ...CONFIG } },
      { int64Field: null, stringField },
      { int64Field: null, stringField: { ...stringField, textField: {}, dateField: {} } },
      { int64Field: { ...field?.int64Field, defaultValue: `${2n ** 63n}` } },
      { x: 1 },
    ]) {
      const reply = await create({ form: { ...FORM, fields: [{ ...field, ...wrong }] } })
      expect([wrong, reply.status, reply.body.code]).toEqual([wrong, 400, 'request_invalid'])
    }
    const [relationship] = FORM.fieldRelationships
    for (const wrong of [
      { atLeastOne: {} },
      { dependentOn: null },
      { dependentOn: null, atLeastOne: { x: 1 } },
    ]) {
      const reply = await create({ form: { ...FORM, fieldRelationships: [{ ...relationship, ...wrong }] } })
      expect([wrong, reply.status, reply.body.code]).toEqual([wrong, 400, 'request_invalid'])
    }
  })

  it.each([
    ['0', '-0'],
    ['7', '007'],
    ['-7', '-07'],
    ['9223372036854775807', '9223372036854775808'],
    ['-9223372036854775808', '-9223372036854775809'],
  ])('a task has canonical 64-bit integers: %s, not %s', async (right, wrong) => {
    const [field] = FORM.fields
    const withDefault = (defaultValue: string) =>
      create({
        form: { ...FORM, fields: [{ ...field, int64Field: { ...field?.int64Field, defaultValue } }] },
      })
    expect((await withDefault(right)).body.taskView.task.form.fields[0].int64Field.defaultValue).toBe(right)
    const { body } = await withDefault(wrong)
    expect([body.code, body.errors[0].pointer]).toEqual([
      'request_invalid',
      '/form/fields/0/int64Field/defaultValue',
    ])
  })

  it('a task wraps an action step in an ActionInstance with a target and no outcome yet', async () => {
    const steps = [{ action: { userIds: ['user-ada'], name: 'reset' } }]
    const settings = { displayName: 'P', policyType: 'POLICY_TYPE_GRANT', policySteps: { grant: { steps } } }
    const { policy } = (await subject.post('/api/v1/policies', settings)).body
    const { task } = (await create({ policyId: policy.id })).body.taskView
    expect(task.policy.current.action).toEqual({
      action: { userIds: ['user-ada'], name: 'reset' },
      automation: null,
      batonResourceActionInstance: null,
      clientIdApprovalInstance: null,
      success: null,
      denied: null,
      error: null,
      cancelled: null,
    })
    expect(task.stepApproverIds).toEqual(['user-ada'])
    const path = `/api/v1/tasks/${task.id}/action/skip-step`
    const { body } = await subject.post(path, { policyStepId: task.policy.current.id })
    expect(body.taskView.task.policy.history[0].action).toMatchObject({
      action: { name: 'reset' },
      skipped: { userId: 'user-ada' },
    })
  })

  it('a task has a numeric ID that is a decimal string, beyond 2^53 as well', async () => {
    const [sequence] = await subject.database.query<{ name: string }>(
      `SELECT pg_get_serial_sequence('tasks', 'numeric_id') AS name`,
    )
    await subject.database.query(`SELECT setval($1::text::regclass, 9007199254740992)`, [sequence?.name])
    const { task } = (await create()).body.taskView
    expect(task.numericId).toBe('9007199254740993')
    const found = await subject.get('/api/v1/tasks/9007199254740993')
    expect(found.body.taskView.task.id).toBe(task.id)
    await subject.database.query('DELETE FROM tasks WHERE id = $1', [task.id])
    await subject.database.query(`SELECT setval($1::text::regclass, 100)`, [sequence?.name])
  })

  it('a task keeps unknown enum values wherever they are stored', async () => {
    const { task } = (await create()).body.taskView
    await subject.database.query(
      `UPDATE tasks SET state = 'TASK_STATE_FROZEN', processing = 'TASK_PROCESSING_TYPE_DREAMING',
       origin = 'TASK_ORIGIN_PIGEON', recommendation = 'INSIGHT_RECOMMENDATION_SLEEP',
       type = jsonb_set(type, '{grant,outcome}', '"GRANT_OUTCOME_HALF"') WHERE id = $1`,
      [task.id],
    )
    const { body } = await subject.get(`/api/v1/tasks/${task.id}`)
    expect(taskResponse.parse(body).taskView.task).toMatchObject({
      state: 'TASK_STATE_FROZEN',
      processing: 'TASK_PROCESSING_TYPE_DREAMING',
      origin: 'TASK_ORIGIN_PIGEON',
      recommendation: 'INSIGHT_RECOMMENDATION_SLEEP',
      type: { grant: { outcome: 'GRANT_OUTCOME_HALF' } },
    })
  })

  it('a task is not found once deleted', async () => {
    const { task } = (await create()).body.taskView
    await subject.database.query('UPDATE tasks SET deleted_at = now() WHERE id = $1', [task.id])
    expect((await subject.get(`/api/v1/tasks/${task.id}`)).body.code).toBe('task_unknown')
    expect((await subject.get(`/api/v1/tasks/${task.numericId}`)).body.code).toBe('task_unknown')
  })

  it('a task has ISO 8601 timestamps, or null if unset', async () => {
    const { task } = (await create()).body.taskView
    const now = new Date(subject.clock.now()).toISOString()
    expect(task).toMatchObject({ createdAt: now, updatedAt: now, deletedAt: null })
  })
})
