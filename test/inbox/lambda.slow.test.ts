import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Inbox, inbox } from '../../src/inbox/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { signAs } from '../../src/testing/index.ts'
import { pagePrograms } from '../support/page-programs.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { inboxServer } from './support.ts'

const root = new URL('../../', import.meta.url)
const SECRET = 'whsec_for_trying'
const WORK = 'console.log(event.type, event.id)'

/** The program for Lambda of docs/inbox.md, in JavaScript, with other work in its handler. */
function functionFile(work = WORK): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-lambda-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['hono', 'pg'])
    symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, root)), join(folder, 'node_modules', name))
  symlinkSync(fileURLToPath(root), join(folder, 'node_modules', 'hookgate'))
  const program = pagePrograms('docs/inbox.md')['index.ts'] ?? ''
  const changed = program
    .replace(/\(\s*_: unknown,\s*context: \{[^}]*\},?\s*\)/, '(_, context)')
    .replace('inbox(pool)', 'inbox(pool, { leaseMs: 1000 })')
    .replace(WORK, work)
    .replace('async (event) =>', 'async (event, { attempt, done }) =>')
  const file = join(folder, 'index.mjs')
  writeFileSync(file, changed)
  return file
}

/** An instance of a function, which is frozen but for its invocations. */
class Instance {
  readonly #child: ChildProcess
  said = ''

  private constructor(child: ChildProcess) {
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        this.said += chunk
      })
  }

  static async start(file: string, url: string, timeoutMs = 60_000): Promise<Instance> {
    const runtime = fileURLToPath(new URL('./lambda-runtime.mjs', import.meta.url))
    const env = { ...process.env, DATABASE_URL: url, STRIPE_WEBHOOK_SECRET: SECRET }
    const child = fork(runtime, [file, `${timeoutMs}`], { env, execArgv: [], silent: true })
    onTestFinished(() => void child.kill('SIGKILL'))
    const instance = new Instance(child)
    await once(child, 'message')
    child.kill('SIGSTOP')
    return instance
  }

  async invoke(name: 'handler' | 'drain', event: object = {}): Promise<unknown> {
    this.#child.kill('SIGCONT')
    const answered = once(this.#child, 'message')
    this.#child.send({ name, event })
    const [{ result, error }] = await answered
    this.#child.kill('SIGSTOP')
    if (error !== undefined) throw new Error(error)
    return result
  }
}

/** A request as API Gateway and function URLs pass it on (payload format 2.0). */
async function signedEvent(id: string): Promise<object> {
  const { headers, body } = await signAs(stripe, { secret: SECRET, body: { id, type: 'invoice.paid' } })
  const http = { method: 'POST', path: '/webhooks/stripe', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1' }
  return {
    ...{ version: '2.0', routeKey: '$default', rawPath: http.path, rawQueryString: '', headers, body },
    ...{ requestContext: { http, domainName: 'api.example' }, isBase64Encoded: false },
  }
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the program of docs/inbox.md for Lambda'), () => {
  const on = inboxServer()
  let box: Inbox

  beforeEach(async () => {
    await on.pool.query('DROP TABLE IF EXISTS hookgate_inbox')
    box = inbox(on.pool)
    await box.migrate()
  })

  it('the endpoint is frozen after its answer, and the function of the schedule runs the event', async () => {
    const file = functionFile()
    const endpoint = await Instance.start(file, on.server.url)
    const event = await signedEvent('evt_1')
    expect(await endpoint.invoke('handler', event)).toMatchObject({ statusCode: 202 })
    expect(await box.counts()).toMatchObject({ waiting: 1, running: 0 })
    const schedule = await Instance.start(file, on.server.url)
    expect(await schedule.invoke('drain')).toEqual({ done: 1, failed: 0, dead: 0, waiting: 0 })
    expect(schedule.said).toContain('invoice.paid evt_1')
    expect(await endpoint.invoke('handler', event)).toMatchObject({ statusCode: 200 }) // a duplicate
    expect(await schedule.invoke('drain')).toEqual({ done: 0, failed: 0, dead: 0, waiting: 0 })
    expect(endpoint.said).not.toContain('invoice.paid')
  })

  it('an event whose handler is frozen past its deadline runs elsewhere, and takes effect once by done(tx)', async () => {
    const file = functionFile(`
      if (attempt === 1) await new Promise((resolve) => process.once('message', resolve)) // the next invocation
      const tx = await pool.connect()
      try {
        await tx.query('BEGIN')
        await tx.query('INSERT INTO effects VALUES ($1, $2)', [event.id, attempt])
        await done(tx)
        await tx.query('COMMIT')
        console.log('committed', attempt)
      } catch (error) {
        console.log('rolled back', attempt, error.message)
        await tx.query('ROLLBACK')
        throw error
      } finally {
        tx.release()
      }`)
    const endpoint = await Instance.start(file, on.server.url)
    await endpoint.invoke('handler', await signedEvent('evt_2'))
    const first = await Instance.start(file, on.server.url, 6000)
    expect(await first.invoke('drain')).toEqual({ done: 0, failed: 0, dead: 0, waiting: 0 })
    expect(first.said).toContain('running, ERR_INBOX')

    const second = await Instance.start(file, on.server.url)
    await expect.poll(() => second.invoke('drain')).toMatchObject({ done: 1, waiting: 0 })
    expect(second.said).toContain('committed 2')

    const thawed = async () => {
      await first.invoke('drain')
      return first.said
    }
    await expect.poll(thawed).toContain('rolled back 1')
    const { rows } = await on.pool.query("SELECT attempt FROM effects WHERE event_id = 'evt_2'")
    expect(rows).toEqual([{ attempt: 2 }])
    expect(await box.counts()).toEqual({ waiting: 0, running: 0, held: 0, dead: 0, done: 1 })
  })
})
