import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { SECRET } from '../support/hmac-listener.ts'
import { sendOneOfEach } from './traffic.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../../docs/observability.md')

it.each(['pino.ts', 'winston.ts', 'prom-client.ts'])(
  'docs/observability.md shows %s to the letter',
  (name) => {
    expect(page).toContain(read(name).trim())
  },
)

function expectNoSecret(output: string, secrets: readonly string[]): void {
  for (const secret of [SECRET, ...secrets]) expect(output).not.toContain(secret)
}

it('pino has a line for each verdict, at its level, without a secret', async () => {
  const lines: string[] = []
  vi.doMock('pino', async (original) => {
    const { pino } = await original<typeof import('pino')>()
    return { pino: () => pino(new Writable({ write: (line, _, done) => done(void lines.push(`${line}`)) })) }
  })
  await import('./pino.ts')
  const { secrets, eventId } = await sendOneOfEach()
  const said = lines.map((line) => JSON.parse(line)).map(({ level, msg }) => `${level} ${msg}`)
  expect(said).toEqual([
    '30 webhook accepted',
    '30 webhook event_duplicate',
    '40 webhook signature_mismatch',
    '50 webhook undecided',
  ])
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ eventId, listenerId: 'L1', sourceIp: '192.0.2.1' })
  expectNoSecret(lines.join(''), secrets)
})

it('winston has a line for each verdict, at its level, without a secret', async () => {
  const { log } = await import('./winston.ts')
  const lines: string[] = []
  const { transports } = await import('winston')
  const stream = new Writable({ write: (line, _, done) => done(void lines.push(`${line}`)) })
  log.clear().add(new transports.Stream({ stream }))
  const { secrets, eventId } = await sendOneOfEach()
  const said = lines.map((line) => JSON.parse(line))
  expect(said.map(({ level, message }) => `${level} ${message}`)).toEqual([
    'info webhook accepted',
    'info webhook event_duplicate',
    'warn webhook signature_mismatch',
    'error webhook undecided',
  ])
  expect(said[0]).toMatchObject({ eventId, listenerId: 'L1', sourceIp: '192.0.2.1' })
  expectNoSecret(lines.join(''), secrets)
})

it('prom-client counts verdicts and measures calls, without an event ID, an address or a secret', async () => {
  const { metrics } = await import('./prom-client.ts')
  const { secrets, eventId } = await sendOneOfEach()
  const text = await metrics()
  const verdict = (outcome: string, reason: string) =>
    `{hookgate_listener_id="L1",hookgate_outcome="${outcome}",hookgate_reason="${reason}"}`
  for (const labels of [
    verdict('accepted', ''),
    verdict('refused', 'event_duplicate'),
    verdict('refused', 'signature_mismatch'),
    verdict('undecided', ''),
  ]) {
    expect(text).toContain(`hookgate_deliveries_total${labels} 1\n`)
    expect(text).toContain(`hookgate_verify_duration_seconds_count${labels} 1\n`)
  }
  expect(text).toContain(
    'hookgate_store_operation_duration_seconds_count{hookgate_store_verb="claim",hookgate_store_answer="",error_type="EventStoreError"} 1\n',
  )
  expect(text).toContain('hookgate_store_answer="committed"')
  expectNoSecret(text, [...secrets, eventId, '192.0.2.1'])
})
