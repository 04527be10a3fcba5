import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { PROBLEM_STATUSES } from '../../src/http/problem.ts'
import { copyOfPGlite } from '../support/copies.ts'
import { type OpenApiDocument, operationAt, problemOf, schemaOf } from '../support/openapi.ts'
import { Subject } from '../support/subject.ts'

describe('/openapi.json', () => {
  const subject = new Subject()
  let text: string
  let document: OpenApiDocument

  beforeAll(async () => {
    await subject.start(await copyOfPGlite(inject('pgliteTemplate')))
    text = await (await subject.app.request('/openapi.json')).text()
    document = JSON.parse(text)
  }, 60_000)
  afterAll(() => subject.database.close())

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )

  it('the document passes the linter', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).toEqual([])
  })

  it('the document requires both security schemes together, except for webhooks', () => {
    expect(Object.keys(document.components.securitySchemes).toSorted()).toEqual(['bearerAuth', 'oauth'])
    expect(document.security).toEqual([{ bearerAuth: [], oauth: [] }])
    const own = operations().filter(({ operation }) => 'security' in operation)
    expect(own.map(({ path }) => path)).toEqual(['/api/v1/webhooks/incoming/{listener_id}'])
    expect(document.info.version).toBe('0.1.0-alpha')
  })

  it('the document describes Skip Step as the specification does', () => {
    const post = operationAt(document, '/api/v1/tasks/{task_id}/action/skip-step')
    expect(post.operationId).toBe('svc.api.task.v1.TaskActionsService.SkipStep')
    const [request, response] = [
      schemaOf(document, 'SkipStepRequest'),
      schemaOf(document, 'TaskServiceActionResponse'),
    ]
    expect(Object.keys(request.properties)).toEqual(['policyStepId', 'comment', 'expandMask'])
    expect(request.required).toEqual(['policyStepId'])
    expect(Object.keys(response.properties)).toEqual(['taskView', 'ticketActionId', 'expanded'])
    expect('x-addition-to-specification' in post).toBe(false)
  })

  it('the document spells the headers of a webhook as the specification does', () => {
    const { parameters } = operationAt(document, '/api/v1/webhooks/incoming/{listener_id}')
    const headers = parameters.filter((each) => each.in === 'header')
    expect(headers.map(({ name, required }) => [name, required])).toEqual([
      ['Webhook-Timestamp', true],
      ['Webhook-Event-Id', true],
      ['Webhook-Signature', false],
    ])
  })

  it('the document shows webhook codes as examples of webhook refusals', () => {
    const { code } = problemOf(
      operationAt(document, '/api/v1/webhooks/incoming/{listener_id}'),
      409,
    ).properties
    expect(code?.examples).toContain('event_duplicate')
    expect(code?.examples).not.toContain('policy_step_done')
  })

  it('the document marks the read-only fields of tasks and related objects', () => {
    const writable = (name: string) =>
      Object.entries(schemaOf(document, name).properties)
        .filter(([, { readOnly }]) => !readOnly)
        .map(([field]) => field)
    expect(writable('Task')).toEqual(['origin', 'type', 'form', 'insightIds', 'recommendation', 'policy'])
    expect(writable('TaskView')).toEqual(['task', 'objectPermissions'])
    const all = ['Grant', 'Revoke', 'Certify', 'Offboarding', 'Action', 'Finding'].map(
      (kind) => `TaskType${kind}`,
    )
    for (const name of [...all, 'ExternalRef']) expect([name, writable(name)]).toEqual([name, []])
    expect(schemaOf(document, 'Task').properties.commentCount).toMatchObject({
      type: 'integer',
      format: 'int32',
    })
  })

  it('the document declares nullability where a schema is used, never in a named schema', () => {
    const schemas = Object.entries(document.components.schemas)
    expect(schemas.length).toBeGreaterThan(30)
    expect(schemas.filter(([, { type }]) => Array.isArray(type)).map(([name]) => name)).toEqual([])
  })

  it('the document marks every operation that is not in the specification', () => {
    const shown = operations().filter(({ operation }) => !('x-addition-to-specification' in operation))
    const names = shown.map(({ method, path }) => `${method} ${path}`)
    const specification = [
      'post /api/v1/tasks/{task_id}/action/skip-step',
      'get /api/v1/apps/{app_id}/entitlements',
      'post /api/v1/webhooks/incoming/{listener_id}',
    ]
    expect(names.filter((name) => !specification.includes(name))).toEqual([])
    expect(names).toEqual(expect.arrayContaining(specification.slice(0, 2)))
  })

  it('the document lists the operations of a path as GET, POST, PATCH, DELETE', () => {
    const order = ['get', 'post', 'patch', 'delete']
    for (const [path, item] of Object.entries(document.paths))
      expect([path, ...Object.keys(item)]).toEqual([path, ...order.filter((method) => method in item)])
  })

  it('the document lists the refusals of every operation, each code with its status', () => {
    for (const { path, operation } of operations().filter(
      (each) => !each.path.includes('/webhooks/incoming/'),
    )) {
      const { responses } = operation
      expect([path, Object.keys(responses)]).toEqual([path, expect.arrayContaining(['400', '401'])])
      for (const [status, response] of Object.entries(responses)) {
        const codes = status.startsWith('2') ? [] : response.description.match(/\w+/g)
        for (const code of codes ?? [])
          expect([code, `${Reflect.get(PROBLEM_STATUSES, code)}`]).toEqual([code, status])
      }
    }
  })

  it('the document states the maximum body size of every operation that takes one', () => {
    const main = operations().filter(({ path }) => !path.includes('/webhooks/incoming/'))
    const silent = main.filter(({ method, operation }) => method !== 'get' && !('413' in operation.responses))
    expect(silent.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('the client types in the repository match the document (vitest -u rewrites them)', async () => {
    const types = astToString(await openapiTS(text, { defaultNonNullable: false }))
    await expect(types).toMatchFileSnapshot('client-types.ts')
  })
})
