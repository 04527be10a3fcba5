import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { deliver, signed, workAll } from './support/automations.ts'
import { copyOfPGlite } from './support/copies.ts'
import { startedService } from './support/started-service.ts'
import { Subject } from './support/subject.ts'

const service = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFileSync(join(service, path), 'utf8')
const readme = read('README.md')

/** The anchors of a page, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )

/** Commands in one line, with neither the address of a service nor the ID of a step. */
const bare = (commands: string) =>
  commands
    .replaceAll(/[\s\\]+/g, ' ')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')
    .replaceAll(/"policyStepId":"[^"]+"/g, '"policyStepId":""')

describe("the service's pages", () => {
  const subject = new Subject()
  beforeAll(async () => subject.start(await copyOfPGlite(inject('pgliteTemplate'))), 60_000)
  afterAll(() => subject.database.close())

  it('SPEC.md lists all endpoints and marks the additions', async () => {
    const reply = await subject.app.request('/openapi.json')
    const { paths }: { paths: Record<string, object> } = JSON.parse(await reply.text())
    const rows = Object.entries<object>(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => {
        const addition = 'x-addition-to-specification' in operation ? 'addition' : 'shown'
        return `${method.toUpperCase()} ${path} ${addition}`
      }),
    )
    const listed = [...read('SPEC.md').matchAll(/^\| (\w+) \| `(\/api\S+)` \| (.+) \|$/gm)].map(
      ([, method, path, origin]) => `${method} ${path} ${origin === 'addition' ? 'addition' : 'shown'}`,
    )
    expect(listed.toSorted()).toEqual(rows.toSorted())
  })

  it('the README walks through the commands that the service prints', async () => {
    const { service: started, end } = await startedService()
    onTestFinished(end)
    const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, command = '']) => bare(command).trim())
    const walk = commands.slice(1, 4).map((command) => command.replace(' --duplicate', ''))
    expect(walk).toHaveLength(3)
    for (const command of walk) await expect.poll(() => bare(started.printed)).toContain(command)
  }, 60_000)

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
    const known = [...read('src/config.ts').matchAll(/^ {2}(SERVICE_\w+):/gm)].map(([, name]) => name)
    expect(known.length).toBeGreaterThan(5)
    expect(listed.toSorted()).toEqual(known.toSorted())
  })

  it.each(['README.md', 'OPERATING.md', 'SPEC.md'])('%s names files and headings that exist', (name) => {
    const page = read(name)
    const files = [...page.matchAll(/`((?:src|test|bench)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const links = [...page.matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)].map(([, path = '', anchor]) => ({
      path: path || name,
      anchor,
    }))
    const dead = [
      ...[...files, ...links.map(({ path }) => path)].filter((path) => !existsSync(join(service, path))),
      ...links.filter(({ path, anchor }) => anchor && !anchorsOf(read(path)).includes(anchor)),
    ]
    expect(dead).toEqual([])
  })
})
