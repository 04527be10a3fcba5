import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { headerOf, RawConnection } from '../../../test/support/raw-http.ts'
import { runTokenCommand } from '../../src/tokens/command.ts'
import { copyOfPostgres, urlOf } from '../support/copies.ts'
import { onSeededPGlite } from '../support/pglite-folder.ts'
import { SECRET } from '../support/subject.ts'
import { ServiceProcess } from './service-process.ts'

async function started(settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-start-'))
  const server = inject('postgresFolder')
  const url = server && urlOf(await copyOfPostgres(server))
  const service = new ServiceProcess({
    SERVICE_DATA: folder,
    ...(url && { SERVICE_DATABASE_URL: url, SERVICE_SECRET: SECRET }),
    ...settings,
  })
  onTestFinished(async () => {
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  await service.start()
  return service
}

const ADVICE = /^State is kept in PGlite, which is for trying out\. .*SERVICE_DATABASE_URL/m

it('the service prints the port it got for port 0, uses it in listener URLs, and listens on one address', async () => {
  const service = await started({ SERVICE_PORT: '0' })
  if (inject('postgresFolder')) expect(service.printed).not.toMatch(ADVICE)
  await expect(fetch(`${service.origin.replace('127.0.0.1', '127.0.0.2')}/healthz`)).rejects.toThrow()
  expect(service.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d+$/)
  expect(service.printed).toContain(`LISTENER=${service.origin}/api/v1/webhooks/incoming/`)
  const { list } = await service.ask('GET', '/api/v1/automations')
  for (const { automation } of list)
    expect(automation.trigger.incomingWebhook.url).toContain(`${service.origin}/api/`)
  const document = await fetch(`${service.origin}/openapi.json`)
  const { servers }: { servers: unknown } = JSON.parse(await document.text())
  expect(servers).toStrictEqual([{ url: service.origin }])
}, 300_000)

/** Its whole output before it gives up. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const error = await started(settings).catch((error: Error) => error)
  return error instanceof Error ? error.message : 'it started'
}

it('the service says in one line why it cannot start: a port in use, a wrong setting, a missing database', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  expect(await refusal({ SERVICE_PORT: `${port}` })).toBe(
    `the service ended (1): Port ${port} is in use. Set SERVICE_PORT to another port, or to 0 for any free one.\n`,
  )
  expect(await refusal({ SERVICE_PROT: '1' })).toMatch(
    /^the service ended \(1\): The environment is invalid.\n.*SERVICE_PROT.*\n$/,
  )
  expect(await refusal({ SERVICE_DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toBe(
    'the service ended (1): connect ECONNREFUSED 127.0.0.1:1\n',
  )
}, 300_000)

it('the service warns that PGlite is for trying out', async () => {
  const settings = onSeededPGlite()
  const service = new ServiceProcess(settings)
  onTestFinished(async () => {
    await service.kill('SIGTERM')
    rmSync(settings.SERVICE_DATA, { recursive: true, force: true })
  })
  await service.start()
  expect(service.printed).toMatch(ADVICE)
}, 300_000)

it('the service listens on SERVICE_HOST, prints a reachable address, and uses SERVICE_BASE_URL in listener URLs', async () => {
  const service = await started({ SERVICE_HOST: '0.0.0.0', SERVICE_BASE_URL: 'https://tenant.example' })
  expect(service.printed).toContain('LISTENER=https://tenant.example/api/v1/webhooks/incoming/')
  expect(service.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect((await fetch(`${service.origin}/healthz`)).status).toBe(200)
  const { port } = new URL(service.origin)
  expect((await fetch(`http://127.0.0.2:${port}/healthz`)).status).toBe(200)
}, 300_000)

it('the service stops on SIGTERM as soon as the response on a kept-alive connection has ended', async () => {
  const service = await started({ SERVICE_STOP_SECONDS: '3600' })
  const connection = new RawConnection({ port: Number(new URL(service.origin).port), host: '127.0.0.1' })
  onTestFinished(() => connection.abort())
  const request = 'POST /api/v1/search/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n'
  await connection.write(`${request}{`)
  const isListening = () => service.ask('GET', '/api/v1/policies').then(Boolean, () => false)
  expect(await isListening()).toBe(true)
  const gone = service.kill('SIGTERM')
  while (await isListening());
  await connection.write('}')
  const reply = await connection.reply()
  expect([reply?.status, reply && headerOf(reply, 'connection')]).toEqual([401, 'keep-alive'])
  await gone // the deadline is later
}, 300_000)

it('the service stops on SIGTERM at once though a connection never sends a request', async () => {
  const service = await started({ SERVICE_STOP_SECONDS: '3600' })
  const connection = connect({ port: Number(new URL(service.origin).port), host: '127.0.0.1' })
  onTestFinished(() => void connection.destroy())
  await once(connection, 'connect')
  await service.ask('GET', '/api/v1/policies') // long enough to be accepted
  await service.kill('SIGTERM') // the deadline is later
  expect([service.exitCode, service.printed]).toEqual([0, expect.not.stringContaining('in flight')])
}, 300_000)

it('the service answers 503 at /readyz after SIGTERM, while it still accepts requests', async () => {
  const service = await started({ SERVICE_DRAIN_SECONDS: '3' })
  const ready = () => fetch(`${service.origin}/readyz`)
  expect((await ready()).status).toBe(200)
  const gone = service.kill('SIGTERM')
  await expect.poll(async () => (await ready()).status).toBe(503)
  const { status, headers } = await fetch(`${service.origin}/healthz`)
  expect([status, headers.get('connection')]).toEqual([200, 'close'])
  expect((await service.ask('GET', '/api/v1/policies')).list.length).toBeGreaterThan(0)
  await gone
  expect(service.exitCode).toBe(0)
}, 300_000)

it('the service stops at the deadline after SIGTERM though a request never ends', async () => {
  const service = await started({ SERVICE_STOP_SECONDS: '1' })
  const connection = new RawConnection({ port: Number(new URL(service.origin).port), host: '127.0.0.1' })
  onTestFinished(() => connection.abort())
  const request = 'POST /api/v1/search/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n'
  await connection.write(`${request}Authorization: Bearer ${service.token}\r\n\r\n{`)
  await service.ask('GET', '/api/v1/policies') // long enough for the other one to start
  await service.kill('SIGTERM')
  expect(service.exitCode).toBe(0)
  expect(service.printed).toMatch(
    /\nRequests were still in flight after 1 s\. Cutting their connections\.\n$/,
  )
}, 300_000)

it('the service imports the seed file at each start, and reports its mistakes', async () => {
  const seeded = onSeededPGlite()
  const folder = seeded.SERVICE_DATA
  const server = inject('postgresFolder')
  const settings = {
    ...seeded,
    SERVICE_SEED: join(folder, 'seed.json'),
    ...(server && { SERVICE_DATABASE_URL: urlOf(await copyOfPostgres(server)) }),
  }
  const service = new ServiceProcess(settings)
  onTestFinished(async () => {
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true })
  })
  const write = (directory: object) => writeFileSync(settings.SERVICE_SEED, JSON.stringify(directory))
  const users = [{ id: 'user-kay', displayName: 'Kay' }]
  write({ users, apps: [{ id: 'app-travel', displayName: 'Travel' }] })
  await service.start()
  expect(service.printed).toContain('npm run service -- token --help')
  await service.kill('SIGTERM')
  const said: string[] = []
  const note = (text: string) => said.push(text)
  await runTokenCommand(['--user', 'user-kay', '--role', 'super_admin'], settings, { log: note, error: note })
  write({ entitlements: [{ id: 'travel-book', appId: 'app-travel', displayName: 'Books trips' }] })
  await service.start()
  const headers = { authorization: `Bearer ${said[0]}` }
  const list = await fetch(`${service.origin}/api/v1/apps/app-travel/entitlements`, { headers })
  expect(await list.text()).toContain('Books trips')
  await service.kill('SIGTERM')
  write({ apps: [{}] })
  await expect(service.start()).rejects.toThrow(`The seed file ${settings.SERVICE_SEED} is invalid.`)
}, 300_000)
