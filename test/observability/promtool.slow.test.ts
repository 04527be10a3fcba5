import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendOneOfEach } from './traffic.ts'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const RULES = at('../../docs/grafana/alerts.yaml')
const CASES = at('alerts.promtool.yaml')

const WHY_NO_PROMTOOL =
  spawnSync('promtool', ['--version']).error && 'no promtool here: `apt-get install prometheus`'
const WITH = WHY_NO_PROMTOOL ? ` (skipped: ${WHY_NO_PROMTOOL})` : ''

/** Its exit code and its whole output. */
function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

function temporaryFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-promtool-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe.skipIf(WHY_NO_PROMTOOL)(`Prometheus's own promtool${WITH}`, () => {
  it('promtool loads the alert rules', () => {
    expect(promtool(['check', 'rules', RULES])).toEqual({
      status: 0,
      said: expect.stringContaining('5 rules found'),
    })
  })

  it('each alert fires for its listener, and not for the other one', () => {
    expect(promtool(['test', 'rules', CASES])).toEqual({
      status: 0,
      said: expect.stringContaining('SUCCESS'),
    })
  })

  it.each([
    ['0.2', '0.22'],
    ['0.2', '0.18'],
    ['for: 5m', 'for: 1m'],
    ['== 0', '< 0'],
    ['> 600', '> 500'],
    ['> 600', '> 900'],
    ['min_over_time(hookgate_inbox', 'max_over_time(hookgate_inbox'],
    ['(increase(hookgate_lease_lost_total[15m])) > 0', '(hookgate_lease_lost_total) > 0'],
  ])('promtool would detect that %j had become %j', (right, wrong) => {
    const changed = readFileSync(RULES, 'utf8').replace(right, wrong)
    expect(changed).toContain(wrong)
    const rules = temporaryFile('alerts.yaml', changed)
    const cases = readFileSync(CASES, 'utf8').replace('../../docs/grafana/alerts.yaml', rules)
    expect(promtool(['test', 'rules', temporaryFile('cases.yaml', cases)]).status).toBe(1)
  })

  it('promtool parses each expression of the dashboard', () => {
    const dashboard: {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
    } = JSON.parse(readFileSync(at('../../docs/grafana/dashboard.json'), 'utf8'))
    const rules = dashboard.panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, index) => ({
        record: `panel:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }))
    // JSON is YAML.
    const file = temporaryFile('panels.yaml', JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(promtool(['check', 'rules', file])).toEqual({
      status: 0,
      said: expect.stringContaining(`${rules.length} rules found`),
    })
  })

  it('promtool finds nothing wrong with the output of the program for prom-client', async () => {
    const { metrics } = await import('./prom-client.ts')
    await sendOneOfEach()
    expect(promtool(['check', 'metrics'], await metrics())).toEqual({ status: 0, said: '' })
  })
})
