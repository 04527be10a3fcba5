import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signHmac } from 'hookgate/testing'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../../test/support/postgres-server.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { DEMO_LISTENERS, demoSigningSecret } from '../../src/demo/tenant.ts'
import { ServiceProcess } from './service-process.ts'

const SECRET = 'the root secret of a service without a database'

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('a service whose database is down'), () => {
  let server: PostgresServer
  let service: ServiceProcess
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookgate-outage-'))
    server = await PostgresServer.start()
    service = new ServiceProcess({
      SERVICE_DATA: folder,
      SERVICE_DATABASE_URL: server.url,
      SERVICE_SECRET: SECRET,
      SERVICE_STOP_SECONDS: '1',
    })
    await service.start()
    return async () => {
      await service.kill()
      await server.remove()
      rmSync(folder, { recursive: true })
    }
  }, 60_000)

  /** Status, code, and whether there is a Retry-After. */
  async function deliver() {
    const request = await signHmac({
      secret: demoSigningSecret(SECRET),
      body: '{"task":1,"approved by":"ada"}',
    })
    return answerTo(`/api/v1/webhooks/incoming/${DEMO_LISTENERS.hmac}`, request)
  }

  const list = () => answerTo('/api/v1/policies', { headers: { authorization: `Bearer ${service.token}` } })

  async function answerTo(path: string, request: RequestInit) {
    const reply = await fetch(`${service.origin}${path}`, request)
    const { code } = JSON.parse(await reply.text())
    return [reply.status, code, reply.headers.get('retry-after')]
  }

  /** The output since the last look. */
  const linesSince = (before: string) => service.printed.slice(before.length).split('\n').slice(0, -1)

  it('the service is live, but ready only while the database answers and is fully migrated', async () => {
    expect(await ready()).toBe(200)
    const database = openPostgres(server.address, () => {})
    const [last] = await database.query<{ file: string }>(
      'DELETE FROM service_migrations WHERE file = (SELECT max(file) FROM service_migrations) RETURNING file',
    )
    expect(await ready()).toBe(503)
    await database.query('INSERT INTO service_migrations VALUES ($1)', [last?.file])
    await database.close()
    expect(await ready()).toBe(200)
  })

  const ready = async () => (await fetch(`${service.origin}/readyz`)).status
  const alive = async () => (await fetch(`${service.origin}/healthz`)).status

  it('the service answers 503 with Retry-After, and logs one line at the start and one at the end', async () => {
    expect([await deliver(), await list()]).toEqual([
      [200, undefined, null],
      [200, undefined, null],
    ])
    const before = service.printed
    await server.halt()
    const until = Date.now() + 3_000 // its workers poll every second
    while (Date.now() < until) {
      const answers = await Promise.all([deliver(), deliver(), list()])
      expect(answers).toEqual(answers.map(() => [503, 'unavailable', '5']))
    }
    expect(linesSince(before)).toEqual([
      expect.stringMatching(
        /^The database is unavailable: .+\. Until it is back, requests are answered 503\.$/,
      ),
    ])
    expect([await alive(), await ready()]).toEqual([200, 503])
    await server.resume()
    await expect.poll(deliver).toEqual([200, undefined, null])
    await expect.poll(() => linesSince(before).length).toBe(2)
    expect(linesSince(before)[1]).toMatch(/^The database is back, after \d+ s\.$/)
    expect(await list()).toEqual([200, undefined, null])
  }, 60_000)

  it('the service answers 503 even if the database hangs, and logs how long it did', async () => {
    const before = service.printed
    server.pause()
    const pausedAt = performance.now()
    const answers = await Promise.all([deliver(), list()])
    const seconds = Math.floor((performance.now() - pausedAt) / 1_000)
    expect(seconds).toBeGreaterThanOrEqual(14)
    server.unpause()
    expect(answers).toEqual(answers.map(() => [503, 'unavailable', '5']))
    await expect.poll(deliver).toEqual([200, undefined, null])
    await expect.poll(() => linesSince(before).length).toBe(2)
    const [, logged] = /after (\d+) s/.exec(linesSince(before)[1] ?? '') ?? []
    expect(Number(logged)).toBeGreaterThanOrEqual(seconds - 2)
  }, 60_000)

  it('the service stops on SIGTERM even if the database hangs', async () => {
    server.pause()
    onTestFinished(() => server.unpause())
    const answer = list().catch(() => 'cut')
    await expect.poll(alive).toBe(200)
    await service.kill('SIGTERM')
    expect(service.exitCode).toBe(1)
    expect(service.printed).toMatch(/did not stop in time\. Runs continue after the next start\.\n$/)
    expect(await answer).toBe('cut')
  }, 30_000)
})
