import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { run } from '../../cli/support.ts'
import { PostgresServer } from '../../support/postgres-server.ts'
import { startRedis } from '../../support/redis-server.ts'

const BUN = process.env.BUN_BINARY ?? 'bun'
const FOLDER = fileURLToPath(new URL('./bun', import.meta.url))

/** The number of cases in the conformance suite. A file may have more. */
const CASES = 34

/** Runs a file with Bun's own test runner on the built package. */
async function expectPass(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  const { code, stderr } = await run(BUN, ['test', `./${file}`], { cwd: FOLDER, env })
  const [, passed = '0'] = /^ *(\d+) pass$/m.exec(stderr) ?? []
  expect(stderr).toMatch(/^ *0 fail$/m)
  expect(Number(passed)).toBeGreaterThanOrEqual(CASES)
  expect(code).toBe(0)
}

it("Bun's RedisClient keeps the contract of every store", async () => {
  const server = await startRedis()
  onTestFinished(() => server.close())
  await expectPass('redis.test.mjs', { REDIS_URL: `redis://127.0.0.1:${server.port}` })
})

it("Bun's SQL keeps the contract of every store", async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.remove())
  // Passes connections on to the server's Unix socket.
  const wire = createServer((near) => {
    const far = connect(server.socketPath)
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) {
      socket.on('error', () => [near, far].forEach((end) => void end.destroy()))
    }
  })
  await once(wire.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void wire.close())
  const { port } = wire.address() as AddressInfo // only a pipe's address is a string
  await expectPass('postgres.test.mjs', { POSTGRES_URL: `postgres://hookgate@127.0.0.1:${port}/postgres` })
})

it('bun:sqlite keeps the contract of every store, on a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-bun-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await expectPass('sqlite.test.mjs', { SQLITE_FILE: join(folder, 'events.db') })
})
