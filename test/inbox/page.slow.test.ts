import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { github } from '../../src/schemes/github.ts'
import { signAs } from '../../src/testing/index.ts'
import { keepAlive } from '../support/keep-alive.ts'
import { onPostgres, WHY_NO_POSTGRES } from '../support/postgres-server.ts'
import { inboxServer } from './support.ts'

const root = new URL('../../', import.meta.url)
const SECRET = 'secret_for_trying'

/** The first program of docs/inbox.md, on any free port, which it tells. */
function program(): string {
  const [, text = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(new URL('docs/inbox.md', root), 'utf8')) ?? []
  expect(text).toContain('app.listen(3000)')
  return `${text.replace('app.listen(3000)', "app.listen(0, '127.0.0.1')")}
server.once('listening', () => console.log(JSON.stringify({ port: server.address().port })))
`
}

function folderOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-inbox-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['express', 'pg'])
    symlinkSync(fileURLToPath(new URL(`node_modules/${name}`, root)), join(folder, 'node_modules', name))
  symlinkSync(fileURLToPath(root), join(folder, 'node_modules', 'hookgate'))
  writeFileSync(join(folder, 'inbox.mjs'), text)
  return folder
}

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('the program of docs/inbox.md'), () => {
  const database = inboxServer()

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stopped under six keep-alive connections, answers all they send, resets none, keeps what it took, and ends (%s)',
    async (signal) => {
      const { host, user = 'postgres', database: name = 'postgres' } = database.server.address
      const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(`${host}`)}`
      await database.pool.query('DROP TABLE IF EXISTS hookgate_inbox')
      const child = spawn(process.execPath, ['inbox.mjs'], {
        cwd: folderOf(program()),
        env: { ...process.env, DATABASE_URL: url, GITHUB_WEBHOOK_SECRET: SECRET },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      let stdout = ''
      let stderr = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      const ended = once(child, 'exit')
      await expect.poll(() => stdout + stderr).toMatch(/"port":\d+\}\n/)
      const { port } = JSON.parse(stdout)

      let sent = 0
      const load = keepAlive(new URL(`http://127.0.0.1:${port}/webhooks/github`), () =>
        signAs(github, { secret: SECRET, eventType: 'push', body: { number: ++sent } }),
      )
      await expect.poll(() => load.answered()).toBeGreaterThan(30)
      load.count()
      child.kill(signal)
      expect(await load.ended).toEqual({ 202: expect.any(Number) })
      expect(await ended).toEqual([0, null])
      expect(stderr).toBe('')
      const { rows } = await database.pool.query(
        "SELECT count(*)::int AS kept, count(*) FILTER (WHERE state = 'done')::int AS done FROM hookgate_inbox",
      )
      expect(rows[0].kept).toBe(load.answered())
      expect(rows[0].done).toBe(stdout.split('\n').filter((line) => line.startsWith('push')).length)
    },
  )
})
