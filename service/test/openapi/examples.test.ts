import { expect, it } from 'vitest'
import { deliver, signed } from '../support/automations.ts'
import { describeService } from '../support/databases.ts'
import { openApiOf } from '../support/openapi.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example?: object } } }
}

describeService('the examples of /openapi.json', (subject) => {
  /** Every operation as the document describes it now. Its examples name what the tenant has. */
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

  it('the examples exist for every operation with a body', async () => {
    const without = (await operations()).filter(
      ({ operation }) => operation.requestBody && !bodyOf(operation),
    )
    expect(without.map(({ operation }) => operation.operationId)).toEqual([])
  })

  it('the examples are accepted by the demo tenant, in every operation', async () => {
    let secret = ''
    /** The status of the operation, and the problem if it is refused. */
    async function call(id: string): Promise<readonly [string, number, string?]> {
      const one = (await operations()).find(({ operation }) => operation.operationId === id)
      if (!one) throw new Error(`the document has no ${id}`)
      const [address, example] = [addressOf(one.path, one.operation), bodyOf(one.operation)]
      const { status, body } =
        id === 'receiveWebhook'
          ? await deliver(subject, { path: address }, await signed(subject, { secret }, example))
          : await subject.ask(one.method.toUpperCase(), address, example)
      secret = body.signingSecret?.secret ?? secret
      return [id, status, body.detail]
    }

    // A run needs a webhook, a webhook needs the rotated secret, and deletions come last.
    const LATER = ['receiveWebhook', 'getRun']
    const all = await operations()
    const rank = ({ method, operation: { operationId } }: (typeof all)[number]) =>
      method === 'delete' ? LATER.length : LATER.indexOf(operationId)
    const ids = all
      .toSorted((left, right) => rank(left) - rank(right))
      .map(({ operation }) => operation.operationId)
    expect(ids.length).toBe(39)
    for (const id of ids) expect(await call(id)).toEqual([id, expect.toBeOneOf([200, 204]), undefined])
  })
})
