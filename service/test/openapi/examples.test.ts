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
      const isUnknown = body.code === 'policy_step_unknown' // each tenant has its own ID
      expect([operation.operationId, body.detail, isUnknown || status < 300]).toEqual([
        operation.operationId,
        body.detail,
        true,
      ])
    }
  })
})
