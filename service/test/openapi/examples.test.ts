import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createApp } from '../../src/app.ts'
import { demoSigningSecret } from '../../src/demo/tenant.ts'
import { deliver, signed } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'
import { openApiOf } from '../support/openapi.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: object } } }
}

describeService('the examples of /openapi.json', (subject) => {
  /** Every operation in the order of the document, which is that of the page. */
  async function operations() {
    const { paths } = await openApiOf(subject)
    return Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]: [string, Operation]) => ({ path, method, operation })),
    )
  }

  const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'].example

  function addressOf(path: string, { parameters = [] }: Operation): string {
    return parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce((address, { name, example }) => address.replace(`{${name}}`, example ?? ''), path)
  }

  it('the examples exist for every operation with a body', async () => {
    const without = (await operations()).filter(
      ({ operation }) => operation.requestBody && !bodyOf(operation),
    )
    expect(without.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('the examples name no operation that is gone', async () => {
    const file = new URL('../../assets/examples.json', import.meta.url)
    const examples: { operations: object } = JSON.parse(await readFile(file, 'utf8'))
    const ids = (await operations()).map(({ operation }) => operation.operationId)
    expect(ids).toEqual(expect.arrayContaining(Object.keys(examples.operations)))
  })

  it('the examples are accepted by a fresh demo tenant, in every operation and in their order', async () => {
    const before = JSON.stringify(await openApiOf(subject))
    const secret = demoSigningSecret(subject.dependencies.secret)
    const all = await operations()
    expect(all.length).toBe(39)
    for (const { path, method, operation } of all) {
      const [address, example] = [addressOf(path, operation), bodyOf(operation)]
      const { status, body } =
        operation.operationId === 'receiveWebhook'
          ? await deliver(subject, { path: address }, await signed(subject, { secret }, example))
          : await subject.ask(method.toUpperCase(), address, example)
      expect([operation.operationId, status, body.detail]).toEqual([
        operation.operationId,
        expect.toBeOneOf([200, 204]),
        undefined,
      ])
    }
    expect(JSON.stringify(await openApiOf(subject))).toBe(before)
  })

  it('the examples reveal nothing of a tenant, because they are the same without one', async () => {
    const reading = {
      ...subject.database,
      query: () => Promise.reject(new Error('the document reads the database')),
    }
    const app = createApp({ ...subject.dependencies, database: reading })
    const text = await (await app.request('/openapi.json')).text()
    expect(text).toBe(JSON.stringify(await openApiOf(subject)))
  })
})
