import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { deliver, signed, workAll } from './support/automations.ts'
import { copyOfPGlite } from './support/copies.ts'
import { Subject } from './support/subject.ts'

const service = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(service, 'README.md'), 'utf8')

describe("the service's README", () => {
  const subject = new Subject()
  beforeAll(async () => subject.start(await copyOfPGlite(inject('pgliteTemplate'))), 60_000)
  afterAll(() => subject.database.close())

  it('the README lists all endpoints and marks the additions', async () => {
    const reply = await subject.app.request('/openapi.json')
    const { paths }: { paths: Record<string, object> } = JSON.parse(await reply.text())
    const rows = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const addition = 'x-addition-to-specification' in operation ? 'addition' : 'shown'
        return `${method.toUpperCase()} ${path} ${addition}`
      }),
    )
    const listed = [...readme.matchAll(/^\| (\w+) \| `(\/api\S+)` \| (.+) \|$/gm)].map(
      ([, method, path, origin]) => `${method} ${path} ${origin === 'addition' ? 'addition' : 'shown'}`,
    )
    expect(listed.toSorted()).toEqual(rows.toSorted())
  })

  it('the README’s body creates an automation, which runs once it is published', async () => {
    const [, text = ''] = /\/api\/v1\/automations --data '(.*?)'/s.exec(readme) ?? []
    const { status, body } = await subject.post('/api/v1/automations', text)
    expect([status, body]).toMatchObject([200, { signingSecret: { secret: expect.stringMatching(/./) } }])
    const { id, trigger } = body.automation
    const sender = { path: new URL(trigger.incomingWebhook.url).pathname, secret: body.signingSecret.secret }
    const statusOf = async () =>
      (await deliver(subject, sender, await signed(subject, sender, { contract: 7 }))).status
    expect(await statusOf()).toBe(503)
    await subject.post(`/api/v1/automations/${id}/action/publish`, undefined)
    expect(await statusOf()).toBe(200)
    await workAll(subject)
    const { body: records } = await subject.get(`/api/v1/automations/${id}/records`)
    expect(records.list).toMatchObject([{ record: { value: '7' } }])
  })

  it('the README lists all settings', () => {
    const listed = [...readme.matchAll(/^\| `(SERVICE_\w+)` \|/gm)].map(([, name]) => name ?? '')
    const source = readFileSync(join(service, 'src/config.ts'), 'utf8')
    const known = [...source.matchAll(/^ {2}(SERVICE_\w+):/gm)].map(([, name]) => name)
    expect(known.length).toBeGreaterThan(5)
    expect(listed.toSorted()).toEqual(known.toSorted())
  })
})
