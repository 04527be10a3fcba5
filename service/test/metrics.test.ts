import { readFileSync } from 'node:fs'
import { instrument } from 'hookgate/otel'
import { beforeAll, expect, it } from 'vitest'
import { createApp } from '../src/app.ts'
import { measureRuns } from '../src/runs/metrics.ts'
import { newSender, RECORD, send, sendAccepted, signed, workAll } from './support/automations.ts'
import { describeService } from './support/databases.ts'

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/

describeService('/metrics', (subject) => {
  beforeAll(() => {
    const { metrics, database, clock } = subject.dependencies
    measureRuns(metrics, database, { clock, report: (error) => subject.reports.push(error) })
    return instrument({ meter: metrics.meter })
  })

  const metricsFor = (token?: string) =>
    subject.app.request('/metrics', { headers: { ...(token && { authorization: `Bearer ${token}` }) } })

  it('/metrics requires a token, of any role', async () => {
    expect((await metricsFor()).status).toBe(401)
    const reply = await metricsFor(await subject.tokenWith('viewer'))
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/plain/),
    ])
  })

  it('/metrics counts verdicts, responses by route, and unfinished runs, without an ID in any label', async () => {
    const sender = await newSender(subject)
    const eventId = crypto.randomUUID()
    await sendAccepted(subject, sender, {}, eventId)
    await send(subject, sender, {}, eventId)
    await subject.get('/api/v1/tasks/1')
    await subject.get('/api/v1/tasks/none')
    await subject.app.request('/no/such/route', { method: 'STRANGE' })
    subject.clock.advanceSeconds(90)
    const text = await (await metricsFor(subject.token)).text()
    expect(text).toMatch(/^hookgate_deliveries_total\{.*hookgate_outcome="accepted".*\} 1$/m)
    expect(text).toMatch(/^hookgate_deliveries_total\{.*hookgate_reason="event_duplicate".*\} 1$/m)
    const route = 'http_route="/api/v1/tasks/:task_id"'
    for (const status of [200, 404])
      expect(text).toMatch(
        new RegExp(
          `^http_server_request_duration_seconds_count\\{.*status_code="${status}".*${route}.*\\} 1$`,
          'm',
        ),
      )
    expect(text).toMatch(
      /^http_server_request_duration_seconds_count\{.*http_request_method="_OTHER".*\} 1$/m,
    )
    expect(text).toMatch(/^service_runs_unfinished\S* 1$/m)
    expect(text).toMatch(/^service_runs_oldest_unfinished_age_seconds\S* 90$/m)
    expect(text).not.toMatch(UUID)
    expect(text).not.toContain('/no/such/route')
  })

  it('/metrics has what the Grafana dashboard asks for, as it spells it', async () => {
    await sendAccepted(subject, await newSender(subject))
    const text = await (await metricsFor(subject.token)).text()
    const board = readFileSync(new URL('../../docs/grafana/dashboard.json', import.meta.url), 'utf8')
    const asked = new Set(board.match(/\bhookgate_\w+(?=[{[])/g))
    const there = [...asked].filter((name) => text.includes(`\n${name}{`))
    // The service has no inbox, and no lease was lost.
    const others = [...asked].filter((name) => /^hookgate_(inbox|lease_lost)_/.test(name))
    expect([...there, ...others].toSorted()).toEqual([...asked].toSorted())
    expect(there.length).toBeGreaterThan(3)
  })

  it('/metrics counts the runs that ended, by outcome alone, and names the service', async () => {
    const ended = async () => {
      const lines = (await (await metricsFor(subject.token)).text()).split('\n')
      return lines.filter((line) => line.startsWith('service_runs_ended_total'))
    }
    const labels = 'otel_scope_name="hookgate-service"'
    await workAll(subject)
    const before = await ended()
    const failing = [...RECORD, { type: 'record', valueCel: 'ctx.trigger.missing' }]
    for (const steps of [[...RECORD, ...RECORD], failing, failing])
      await sendAccepted(subject, await newSender(subject, { steps }))
    await workAll(subject)
    expect((await ended()).map((line) => line.replace(/ \d+$/, ''))).toStrictEqual([
      `service_runs_ended_total{outcome="succeeded",${labels}}`,
      `service_runs_ended_total{outcome="failed",${labels}}`,
    ])
    const numbers = (lines: string[]) => lines.map((line) => Number(line.split(' ').at(-1)))
    const [succeeded = 0, failed = 0] = numbers(before)
    expect(numbers(await ended())).toStrictEqual([succeeded + 1, failed + 2])
    const text = await (await metricsFor(subject.token)).text()
    expect(text).toMatch(/^target_info\{.*service_name="hookgate-service".*\} 1$/m)
    expect(text).not.toMatch(UUID)
  })
})

describeService('a request', (subject) => {
  it('a request has an ID in its response, its own if that is harmless', async () => {
    const idFor = async (path: string, given?: string) => {
      const headers = { ...(given && { 'x-request-id': given }) }
      return (await subject.app.request(path, { headers })).headers.get('x-request-id')
    }
    expect(await idFor('/healthz', 'of-the-proxy_1')).toBe('of-the-proxy_1')
    expect(await idFor('/healthz', 'two\tlines')).toMatch(UUID)
    for (const path of ['/api/v1/policies', '/', '/nowhere']) expect(await idFor(path)).toMatch(UUID)
  })

  it('a request is named by its ID where its failure is reported', async () => {
    const reports: unknown[] = []
    const database = { ...subject.database, query: () => Promise.reject(new Error('a bug')) }
    const app = createApp({ ...subject.dependencies, database, report: (...said) => reports.push(said) })
    const headers = { authorization: `Bearer ${subject.token}`, 'x-request-id': 'r1' }
    expect((await app.request('/api/v1/policies', { headers })).status).toBe(500)
    expect(reports).toEqual([[new Error('a bug'), 'r1']])
  })

  it('a request to a listener has an ID too', async () => {
    const sender = await newSender(subject)
    const reply = await subject.app.request(sender.path, await signed(subject, sender))
    expect([reply.status, reply.headers.get('x-request-id')]).toEqual([200, expect.stringMatching(UUID)])
  })
})
