import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request, type ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { signHmac } from '../../../src/testing/index.ts'
import { SECRET, startListener } from '../support.ts'
import { startApp } from './app.ts'
import { deliver } from './gateway.ts'

/** The deliveries that may wait for the app, as docs/forward.md says. */
const MOST_WAITING = 1024
/** The measurement was 255 KB. */
const MOST_BYTES_EACH = 400_000
const BODY = JSON.stringify('x'.repeat(65_534))

const WHY_NOT = process.platform === 'linux' ? '' : ' (skipped: memory is read from /proc)'

function residentBytes(pid: number | undefined): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** A sender that waits for its answer without a deadline. */
async function send(url: string): Promise<void> {
  const { headers, body } = await signHmac({ secret: SECRET, body: BODY })
  const sent = request(url, { method: 'POST', headers, agent: false }).on('error', () => {})
  onTestFinished(() => void sent.destroy())
  sent.end(body)
}

test.skipIf(WHY_NOT)(
  `an app that hangs costs the gateway the memory of ${MOST_WAITING} deliveries; the next one gets 503, and its event is released${WHY_NOT}`,
  { timeout: 90_000 },
  async () => {
    const hanging: ServerResponse[] = []
    const app = await startApp((response) => void hanging.push(response))
    const gateway = await startListener(['--json', '--forward-to', app.url, '--timeout', '55'], {
      env: { HOOKGATE_SECRET: SECRET },
    })
    const before = residentBytes(gateway.pid)
    for (let sent = 0; sent < MOST_WAITING; sent += 1) await send(gateway.url)
    await expect.poll(() => hanging.length).toBe(MOST_WAITING)

    const eventId = randomUUID()
    const refused = await deliver(gateway.url, eventId)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(refused.body).toContain('upstream_unreachable')
    expect(hanging).toHaveLength(MOST_WAITING)
    expect(residentBytes(gateway.pid) - before).toBeLessThan(MOST_WAITING * MOST_BYTES_EACH)

    for (const response of hanging) response.end()
    const again = deliver(gateway.url, eventId)
    await expect.poll(() => hanging.length).toBe(MOST_WAITING + 1)
    hanging.at(-1)?.end('done')
    expect(await again).toMatchObject({ status: 200, body: 'done' })
  },
)
