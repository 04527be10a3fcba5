import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyWebhook } from '../../../adapters/express.ts'
import { defineListener } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { fakeClock } from '../../support/clock.ts'
import { appOf } from './app.mjs'
import { MISTAKES } from './mistakes.ts'
import { SENDERS } from './senders.ts'
import { writeFileSync, appendFileSync } from 'node:fs'

beforeAll(() => { Object.assign(process.stderr, { isTTY: true }) })
const clock = fakeClock(1_785_480_000_000)
for (const [name, sender] of Object.entries(SENDERS))
  for (const [title, of] of Object.entries(MISTAKES))
    it(`${name}: ${title}`, async () => {
      const m = of(name)
      const said: string[] = []
      vi.stubEnv('NODE_ENV', 'development');for (const k of ['warn', 'error'] as const) vi.spyOn(console, k).mockImplementation((...x) => void said.push(x.map((e) => e?.stack ?? String(e)).join(' ')))
      
      clock.advance(61_000)
      try {
        const listener = defineListener({ id: name, auth: sender.auth(m.secret ? m.secret(sender) : sender.secret), store: memoryStore(), ...(m.allowedCidrs && { allowedCidrs: m.allowedCidrs }), clock })
        const server = appOf(verifyWebhook, listener, m.before).listen(0)
        await new Promise((r) => server.once('listening', r))
        const sent = await (m.sent ?? ((s, n) => s.sign(s.secret, n)))(sender, clock.now(), name)
        const res = await fetch(`http://127.0.0.1:${server.address().port}/webhooks`, { method: 'POST', ...sent })
        const status = res.status
        await expect.poll(() => said.length, { timeout: 4000 }).toBeGreaterThan(0).catch(() => {})
        appendFileSync('/tmp/console-cells.txt', `## ${name} | ${title} [${status}]\n${said.join('\n').slice(0, 1200)}\n`)
        server.close()
      } catch (e) { appendFileSync('/tmp/console-cells.txt', `## ${name} | ${title}\nSTART ${e.message}\n`) }
    })
