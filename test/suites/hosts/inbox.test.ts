import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateSecret } from 'hookgate'
import { inbox } from 'hookgate/inbox'
import { stripe } from 'hookgate/schemes/stripe'
import { signAs } from 'hookgate/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectNeon } from '../../support/neon-front.ts'
import { pagePrograms } from '../../support/page-programs.ts'
import {
  onPostgres,
  PostgresServer,
  WHY_NO_POSTGRES,
} from '../../support/postgres-server.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const NEXT = join(here, 'node_modules/next/dist/bin/next')
const SECRET = generateSecret()
const CRON_SECRET = generateSecret()
const FILES = [
  'webhooks.ts',
  'app/webhooks/stripe/route.ts',
  'app/webhooks/drain/route.ts',
]

/** Neon's hosts, which the program asks over HTTPS, are replaced by a front to a server of this machine. */
const TO_FRONT = `
const real = globalThis.fetch
globalThis.fetch = (url, options) => real(/^https:\\/\\/api\\.neon\\.example/.test(url) ? process.env.NEON_FRONT : url, options)
`

function appFolder(change: (text: string) => string): string {
  const folder = mkdtempSync(join(here, '.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(here, 'apps/next'), folder, { recursive: true })
  const programs = pagePrograms('docs/inbox.md')
  for (const file of FILES) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), change(programs[file] ?? ''))
  }
  writeFileSync(join(folder, 'to-front.mjs'), TO_FRONT)
  return folder
}

describe.skipIf(WHY_NO_POSTGRES)(
  onPostgres('the program of docs/inbox.md for Next.js'),
  () => {
    it('built without its secrets, it answers at once and works after the answer; a cron runs what a kill has cut off', {
      timeout: 300_000,
    }, async () => {
      const server = await PostgresServer.start()
      onTestFinished(() => server.remove())
      const neon = await connectNeon(server)
      onTestFinished(async () => void (await neon.close()))
      const box = inbox(neon.pool, { leaseMs: 1000 })
      await box.migrate()

      // The handler ends when the test has answered it, and the lease of a process that was killed soon.
      const folder = appFolder((text) =>
        text
          .replace(
            "process.env.DATABASE_URL ?? '')",
            '$&, { leaseMs: 1000 }',
          )
          .replace(
            'console.log(event.type, event.id)',
            'console.log(event.type, event.id)\n        if (process.env.HANGS) await new Promise(() => {})',
          ),
      )
      const rest = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' }
      await promisify(execFile)(process.execPath, [NEXT, 'build'], {
        cwd: folder,
        env: rest,
      })

      async function started(more: object = {}) {
        const app = spawn(
          process.execPath,
          [NEXT, 'start', '-p', '0', '-H', '127.0.0.1'],
          {
            cwd: folder,
            env: {
              ...rest,
              ...{
                STRIPE_WEBHOOK_SECRET: SECRET,
                CRON_SECRET,
                NEON_FRONT: neon.sqlUrl,
              },
              DATABASE_URL:
                'postgres://hookgate:none@ep.neon.example/postgres',
              NODE_OPTIONS: `--import ${join(folder, 'to-front.mjs')}`,
              ...more,
            },
          },
        )
        let said = ''
        for (const stream of [app.stdout, app.stderr])
          stream.on('data', (chunk) => {
            said += chunk
          })
        const gone = once(app, 'close')
        const kill = async () => {
          app.kill('SIGKILL')
          await gone
        }
        onTestFinished(kill)
        await expect
          .poll(() => said)
          .toMatch(/(http:\/\/127\.0\.0\.1:\d+).*Ready in/s)
        const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
        return { url, kill, said: () => said }
      }
      const send = async (url: string, id: string) => {
        const { headers, body } = await signAs(stripe, {
          secret: SECRET,
          body: { id, type: 'invoice.paid' },
        })
        return (
          await fetch(`${url}/webhooks/stripe`, {
            method: 'POST',
            headers,
            body,
          })
        ).status
      }
      const drain = (url: string, authorization?: string) =>
        fetch(`${url}/webhooks/drain`, {
          ...(authorization && { headers: { authorization } }),
        })

      const first = await started({ HANGS: '1' })
      expect(await send(first.url, 'evt_1')).toBe(200) // though its handler never ends
      await expect.poll(first.said).toContain('invoice.paid evt_1')
      expect(await box.counts()).toMatchObject({ running: 1 })
      await first.kill()

      const second = await started()
      for (const authorization of [
        undefined,
        'Bearer ',
        'Bearer undefined',
        `Bearer ${SECRET}`,
      ])
        expect((await drain(second.url, authorization)).status).toBe(
          401,
        )
      await expect
        .poll(async () =>
          (await drain(second.url, `Bearer ${CRON_SECRET}`)).json(),
        )
        .toEqual({ done: 1, failed: 0, dead: 0, waiting: 0 })
      expect(second.said()).toContain('invoice.paid evt_1')

      expect(await send(second.url, 'evt_2')).toBe(200)
      await expect
        .poll(() => box.counts())
        .toMatchObject({ done: 2, waiting: 0, running: 0 })
      expect(await send(second.url, 'evt_2')).toBe(200) // a duplicate
      expect(await box.counts()).toMatchObject({ done: 2, waiting: 0 })
      expect(second.said().match(/invoice\.paid/g)).toHaveLength(2)
      await second.kill()

      const unset = await started({ CRON_SECRET: '' })
      expect((await drain(unset.url, 'Bearer ')).status).toBe(401)
    })
  },
)
