import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { copyOfPGlite } from '../support/copies.ts'
import { openApiOf } from '../support/openapi.ts'
import { Subject } from '../support/subject.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: object } } }
}

describe('the examples of /openapi.json', () => {
  const subject = new Subject()
  let operations: { path: string; method: string; operation: Operation }[]

  beforeAll(async () => {
    await subject.start(await copyOfPGlite(inject('pgliteTemplate')))
    const { paths } = await openApiOf(subject)
    operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )
  }, 60_000)
  afterAll(() => subject.stop())

  const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'].example

  /** The path with its example values, and those that only this tenant has. */
  async function addressOf(path: string, { parameters = [] }: Operation): Promise<string> {
    const [first] = (await subject.get('/api/v1/automations')).body.list
    const known: Record<string, string> = { automation_id: first.automation.id }
    return parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce(
        (address, { name, example }) => address.replace(`{${name}}`, example ?? known[name] ?? ''),
        path,
      )
  }

  it('name nothing of the tenant once the demo token is revoked', async () => {
    const text = async () => JSON.stringify(await openApiOf(subject))
    const [step] = await subject.database.query<{ id: string }>(
      "SELECT instance_id AS id FROM task_steps WHERE state = 'POLICY_STEP_STATE_ACTIVE' LIMIT 1",
    )
    expect(await text()).toContain(step?.id)
    await subject.database.query("UPDATE access_tokens SET revoked_at = now() WHERE id = 'demo'")
    expect(await text()).not.toMatch(/4[\da-f]{3}-[89ab][\da-f]{3}-(?!0{10})[\da-f]{12}/)
    await subject.database.query("UPDATE access_tokens SET revoked_at = NULL WHERE id = 'demo'")
  })

  it('exist for every operation with a body', () => {
    const without = operations.filter(({ operation }) => operation.requestBody && !bodyOf(operation))
    expect(without.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('are accepted by the demo tenant', async () => {
    const tried = operations.filter(
      ({ operation, path }) => bodyOf(operation) && !path.includes('/webhooks/'), // needs a signature
    )
    expect(tried.length).toBeGreaterThan(5)
    for (const { path, method, operation } of tried) {
      const address = await addressOf(path, operation)
      const { status, body } = await subject.ask(method.toUpperCase(), address, bodyOf(operation))
      expect([operation.operationId, body.detail, status]).toEqual([operation.operationId, body.detail, 200])
    }
  })
})
