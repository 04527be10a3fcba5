import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inbox } from '../../../src/inbox/index.ts'
import { defineListener } from '../../../src/index.ts'
import { stripe } from '../../../src/schemes/stripe.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { connectNeon } from '../../support/neon-front.ts'
import { acceptedEvent } from '../../support/outcome.ts'
import { pagePrograms } from '../../support/page-programs.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../support/postgres-server.ts'
import { inWorkerd, WHY_NO_WORKERD } from '../project.ts'
import { startWorkerd } from './workerd-server.ts'

const root = new URL('../../../', import.meta.url)
const SECRET = 'whsec_for_trying'

/** The program for Cloudflare of docs/inbox.md. */
function workerFile(): { folder: string; entry: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-worker-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules', '@neondatabase'), { recursive: true })
  const neon = '@neondatabase/serverless'
  symlinkSync(fileURLToPath(new URL(`node_modules/${neon}`, root)), join(folder, 'node_modules', neon))
  symlinkSync(fileURLToPath(root), join(folder, 'node_modules', 'hookgate'))
  const entry = join(folder, 'index.ts')
  writeFileSync(entry, pagePrograms('docs/inbox.md')['src/index.ts'] ?? '')
  return { folder, entry }
}

const signed = (id: string) => signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })

describe.skipIf(WHY_NO_WORKERD ?? WHY_NO_POSTGRES)(
  inWorkerd(onPostgres('the program of docs/inbox.md for Cloudflare, in workerd')),
  () => {
    it('the Worker answers, and runs each event after its answer; its cron runs what was left', async () => {
      const server = await PostgresServer.start()
      onTestFinished(() => server.remove())
      const neon = await connectNeon(server)
      onTestFinished(async () => void (await neon.close()))
      const box = inbox(neon.pool)
      await box.migrate()
      const { folder, entry } = workerFile()
      const workerd = await startWorkerd(folder, entry, { NEON_FRONT: neon.sqlUrl })
      onTestFinished(() => workerd.kill())

      /** As a sender: until it hears a 2xx. */
      const send = async (id: string) => {
        const { headers, body } = await signed(id)
        await expect
          .poll(async () => (await fetch(workerd.url, { method: 'POST', headers, body })).status)
          .toBe(200)
      }
      await send('evt_1')
      await expect.poll(() => box.counts()).toMatchObject({ done: 1, waiting: 0, running: 0 })
      await expect.poll(workerd.printed).toContain('invoice.paid evt_1')
      await Promise.all(Array.from({ length: 12 }, (_, number) => send(`evt_many_${number}`)))
      await expect.poll(() => box.counts()).toMatchObject({ done: 13, waiting: 0, running: 0 })
      await send('evt_1') // a duplicate

      // A claim that the server carries out after its request got a 503 is given back: a retry need not wait for the end of its lease.
      const { headers, body } = await signed('evt_late')
      server.pause()
      const early = await fetch(workerd.url, { method: 'POST', headers, body })
      server.unpause()
      expect(early.status).toBe(503)
      await expect.poll(() => box.counts()).toMatchObject({ waiting: 0 })
      await send('evt_late')
      await expect.poll(() => box.counts()).toMatchObject({ done: 14, waiting: 0, running: 0 })

      const listener = defineListener({ id: 'stripe', auth: stripe({ secrets: SECRET }), store: box.store })
      await box.put(await acceptedEvent(toDelivery(await signed('evt_left')), listener))
      expect(await box.counts()).toMatchObject({ done: 14, waiting: 1 })
      expect((await fetch(`${workerd.url}/cdn-cgi/local/scheduled`)).status).toBe(200)
      expect(await box.counts()).toEqual({ done: 15, waiting: 0, running: 0, held: 0, dead: 0 })
    })
  },
)
