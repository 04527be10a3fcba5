import { readFileSync } from 'node:fs'
import type { Attributes, Meter } from '@opentelemetry/api'
import { beforeAll, describe, expect, it } from 'vitest'
import { type EventStore, type InboxFields, verify } from '../../src/index.ts'
import { traced, tracingChannel } from '../../src/lib/tracing.ts'
import { instrument } from '../../src/otel/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8')
const dashboard: {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
} = JSON.parse(read('grafana/dashboard.json'))
const alerts = read('grafana/alerts.yaml')

const reporting: unknown[] = []

/** Metrics by their Prometheus names, each with the labels it got. */
const metrics = new Map<string, Set<string>>()

const underscored = (name: string) => name.replaceAll('.', '_')

/** Stands in for an SDK. It records names as OpenTelemetry's rules for Prometheus spell them. */
const meter = {
  createCounter: (name: string) => noted([`${underscored(name)}_total`]),
  createHistogram: (name: string, { unit }: { readonly unit: string }) => {
    const base = underscored(name) + (unit === 's' ? '_seconds' : '')
    return noted(
      ['_bucket', '_count', '_sum'].map((suffix) => base + suffix),
      'le',
    )
  },
  createObservableGauge: (name: string) => ({
    addCallback: (report: (result: object) => unknown) =>
      reporting.push(report({ observe: noted([`${underscored(name)}_seconds`]).record })),
    removeCallback: () => {},
  }),
} as unknown as Meter // the rest of a meter is not used

function noted(names: readonly string[], ...always: readonly string[]) {
  const labels = new Set(always)
  for (const name of names) metrics.set(name, labels)
  const note = (_value: number, attributes: Attributes) => {
    for (const label of Object.keys(attributes)) labels.add(underscored(label))
  }
  return { add: note, record: note }
}

const DOWN: EventStore = { claim: fails, commit: fails, release: fails }

function fails(): Promise<never> {
  return Promise.reject(new Error('down'))
}

beforeAll(async () => {
  const stop = instrument({ meter, inbox: { oldest: async () => [{ listener: 'L1', dueForMs: 1 }] } })
  const lost: EventStore = { claim: () => 'acquired', commit: () => 'lost', release: () => true }
  const { listener, deliver } = hmacListener({ store: lost })
  const verdict = await verify(await deliver(), listener)
  if (verdict.ok) await verdict.event.commit()
  await verify({ ...(await deliver()), method: 'GET' }, listener)
  const down = hmacListener({ store: DOWN })
  await verify(await down.deliver(), down.listener).catch(() => {})
  const fields = { listenerId: 'L1', verb: 'run', attempt: 1, waitedMs: 1 } satisfies InboxFields
  await traced(
    tracingChannel('inbox'),
    async () => 'done',
    (answer) => ({ ...fields, answer }),
  )
  await Promise.all(reporting)
  stop()
})

/** Each expression of the rules, on one line. */
const alertExpressions = alerts
  .replaceAll(/>-\n\s+(.*)\n\s+(.*)/g, '$1 $2')
  .split('\n')
  .flatMap((line) => /^\s+expr: (.*)/.exec(line)?.[1] ?? [])
const panelExpressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

/** The metrics and labels that an expression names. */
function namesIn(expression: string) {
  const selectors = [...expression.matchAll(/(hookgate_\w+?)(?:\{([^}]*)\})?\[/g)]
  const matched = selectors.flatMap(([, , labels = '']) =>
    [...labels.matchAll(/(\w+)[!=]/g)].map(([, label]) => label),
  )
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
  return { metrics: selectors.map(([, name = '']) => name), labels: [...matched, ...grouped] }
}

describe('the dashboard and the alert rules', () => {
  it('there are ten panels and five rules', () => {
    expect(dashboard.panels.map(({ targets }) => targets.length)).toEqual([1, 1, 1, 2, 1, 1, 1, 1, 2, 1])
    expect(alerts.match(/- alert: \w+/g)).toHaveLength(5)
    expect(alertExpressions).toHaveLength(5)
  })

  it.each([...panelExpressions, ...alertExpressions])('the code reports their names: %s', (expression) => {
    const { metrics: names, labels } = namesIn(expression)
    expect(names.length).toBeGreaterThan(0)
    expect(labels.length).toBeGreaterThan(0)
    for (const name of names) {
      const known = metrics.get(name)
      expect([...metrics.keys()]).toContain(name)
      for (const label of labels) expect([...(known ?? [])], `${name} has no ${label}`).toContain(label)
    }
  })

  it('the panels show every metric', () => {
    const shown = new Set([...panelExpressions, ...alertExpressions].flatMap((text) => namesIn(text).metrics))
    const base = (name: string) => name.replace(/_(bucket|count|sum)$/, '')
    expect([...new Set([...metrics.keys()].map(base))].toSorted()).toEqual(
      [...new Set([...shown].map(base))].toSorted(),
    )
  })

  it('existing reasons and outcomes are used', () => {
    const values = [
      ...`${panelExpressions}${alertExpressions}`.matchAll(/hookgate_(outcome|reason)="(\w+)"/g),
    ]
    const source = readFileSync(new URL('../../src/reason.ts', import.meta.url), 'utf8')
    const fields = readFileSync(new URL('../../src/report.ts', import.meta.url), 'utf8')
    expect(values.length).toBeGreaterThan(4)
    for (const [, kind, value] of values) {
      expect(kind === 'reason' ? source : fields).toMatch(kind === 'reason' ? `  ${value}: ` : `'${value}'`)
    }
  })

  it('no metric has an event ID, an address or a key as a label', () => {
    const labels = [...metrics.values()].flatMap((each) => [...each])
    expect([...new Set(labels)].toSorted()).toEqual([
      'error_type',
      'hookgate_inbox_answer',
      'hookgate_inbox_verb',
      'hookgate_listener_id',
      'hookgate_outcome',
      'hookgate_reason',
      'hookgate_store_answer',
      'hookgate_store_verb',
      'le',
    ])
  })
})
