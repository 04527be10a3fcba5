import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import Libsql from 'libsql'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../../../cli/listen/store.ts'
import { sqliteStore } from '../../../src/stores/sqlite/store.ts'
import { MariadbServer, onMariadb, WHY_NO_MARIADB } from '../../support/mariadb-server.ts'
import { onPostgres, PostgresServer, WHY_NO_POSTGRES } from '../../support/postgres-server.ts'
import { onRedis, type RedisServer, startRedis, WHY_NO_REDIS } from '../../support/redis-server.ts'
import { selfSigned } from '../../support/self-signed.ts'
import {
  hookgate,
  installPackage,
  run,
  SECRET,
  type Surroundings,
  startListener,
  temporaryDirectory,
  temporaryFile,
} from '../support.ts'

const env = { HOOKGATE_SECRET: SECRET }
const PASSWORD = 'open%2Fsesame'
const HAS_NODE_SQLITE = process.getBuiltinModule('node:sqlite') !== undefined

function send(url: string, eventId: string = crypto.randomUUID()) {
  return hookgate(['send', url, '--data', '{}', '--event-id', eventId], { env })
}

/** Two listeners share a store, and a third starts when they have ended. Returns everything that was printed. */
async function shareAndRestart(store: string, surroundings: Surroundings = {}): Promise<string> {
  const start = () => startListener(['--store', store], { env, ...surroundings })
  const [one, two] = [await start(), await start()]
  const eventId = crypto.randomUUID()
  expect((await send(one.url, eventId)).stdout).toMatch(/^200 /)
  for (const { url } of [two, one]) expect((await send(url, eventId)).stdout).toMatch(/^409 /)
  expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0])
  const again = await start()
  expect((await send(again.url, eventId)).stdout).toContain('"code":"event_duplicate"')
  expect(await again.stop()).toBe(0)
  return [one, two, again].map(({ stdout, stderr }) => stdout.text + stderr.text).join('')
}

/** The built package in its own folder, with only these clients beside it. */
async function installedBeside(...clients: string[]): Promise<{ main: string; cwd: string }> {
  const cwd = await temporaryDirectory()
  const own = await installPackage(cwd, clients)
  return { main: join(own, 'dist/cli/main.js'), cwd }
}

describe('a client that is not installed', () => {
  test.each([
    ['redis://127.0.0.1', 'needs ioredis or redis, and found none in this folder: npm install ioredis'],
    [
      'postgres://me:secret@127.0.0.1/db',
      'needs pg or postgres, and found none in this folder: npm install pg',
    ],
    [
      'mysql://me:secret@127.0.0.1/db',
      'needs mysql2 or mariadb, and found none in this folder: npm install mysql2',
    ],
    ...(HAS_NODE_SQLITE
      ? []
      : [
          [
            'sqlite:events.db',
            'needs better-sqlite3 or libsql, and found none in this folder: npm install libsql',
          ],
        ]),
  ])('%s: what to install, and exit code 1', async (store, message) => {
    const { main, cwd } = await installedBeside()
    const ended = await run(process.execPath, [main, 'listen', '--port', '0', '--store', store], { cwd })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toContain('secret')
  })

  test('a client is found where the command runs, even if the package is elsewhere', async () => {
    const { main } = await installedBeside()
    const { cwd } = await installedBeside('libsql')
    await shareAndRestart('sqlite:events.db', { main, cwd })
  })
})

describe('--store sqlite:FILE', () => {
  test('two listeners share it, and a restart keeps it: an event answered 200 is committed', async () => {
    const file = join(await temporaryDirectory(), 'my events.db')
    expect(await shareAndRestart(`sqlite:${file}`)).toContain(`\nEvents are remembered in sqlite:${file}\n`)
  })

  test('HOOKGATE_STORE does the same, and a relative name is relative', async () => {
    const cwd = await temporaryDirectory()
    const listener = await startListener([], { env: { ...env, HOOKGATE_STORE: 'sqlite:events.db' }, cwd })
    expect((await send(listener.url)).stdout).toMatch(/^200 /)
    await listener.stop()
    const db = new Libsql(join(cwd, 'events.db'))
    expect(db.prepare('SELECT count(*) AS done FROM hookgate_events WHERE commits = 1').all()).toEqual([
      { done: 1 },
    ])
    db.close()
  })

  test.each(HAS_NODE_SQLITE ? [] : ['libsql'])('a file opens with %s alone', async (name) => {
    await shareAndRestart('sqlite:events.db', await installedBeside(name))
  })

  test('expired events are swept at the start, and every 30 s', async () => {
    const file = join(await temporaryDirectory(), 'events.db')
    const db = new Libsql(file, { timeout: 1000 })
    onTestFinished(() => void db.close())
    const past = sqliteStore(db)
    await past.migrate()
    const count = () => Object(db.prepare('SELECT count(*) AS n FROM hookgate_events').all()[0]).n
    const leaveOne = async () => {
      await past.commit({ listenerId: 'L1', eventId: crypto.randomUUID() }, 'a', 0)
      db.exec('UPDATE hookgate_events SET expires_at = 1')
    }
    await leaveOne()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { close } = await openStore(`sqlite:${file}`)
    onTestFinished(close)
    expect(count()).toBe(0)
    await leaveOne()
    vi.advanceTimersByTime(29_999)
    expect(count()).toBe(1)
    vi.advanceTimersByTime(1)
    await expect.poll(() => count()).toBe(0)
  })
})

describe.skipIf(WHY_NO_REDIS)(onRedis('--store redis://…'), () => {
  let server: RedisServer
  const url = () => `redis://:${PASSWORD}@127.0.0.1:${server.port}/3`
  beforeAll(async () => {
    server = await startRedis('--requirepass', decodeURIComponent(PASSWORD), '--appendonly', 'yes')
  })
  afterAll(() => server.close())

  test.each(['ioredis', 'redis'])('%s shares events and shows no word of a password', async (name) => {
    const printed = await shareAndRestart(url(), await installedBeside(name))
    expect(printed).toContain(`\nEvents are remembered in redis://127.0.0.1:${server.port}\n`)
    expect(printed).not.toMatch(/sesame/)
    expect(printed).not.toContain('Fix: ')
  })

  /** A server that speaks only TLS, and the certificate to trust. */
  async function tlsServer(): Promise<{ store: string; ca: string }> {
    const { key, cert } = selfSigned()
    const [keyFile, ca] = [await temporaryFile('key.pem', key), await temporaryFile('cert.pem', cert)]
    const files = ['--tls-cert-file', ca, '--tls-key-file', keyFile, '--tls-ca-cert-file', ca]
    const own = await startRedis(...files, '--tls-auth-clients', 'no', '--appendonly', 'yes')
    onTestFinished(() => own.close())
    return { store: `rediss://127.0.0.1:${own.port}`, ca }
  }

  test.each(['ioredis', 'redis'])('rediss: with %s: shared and kept, over TLS', async (name) => {
    const { store, ca } = await tlsServer()
    const beside = await installedBeside(name)
    const trusting = { env: { ...env, NODE_EXTRA_CA_CERTS: ca }, ...beside }
    expect(await shareAndRestart(store, trusting)).toContain(`\nEvents are remembered in ${store}\n`)
  })

  test('rediss: with an untrusted certificate: exit code 1, and why', async () => {
    const { store } = await tlsServer()
    const ended = await hookgate(['listen', '--port', '0', '--store', store])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toContain(`${store}: self-signed certificate`)
  })

  test('Ctrl-C waits for a commit in flight', async () => {
    const own = await startRedis('--appendonly', 'yes')
    onTestFinished(() => own.close())
    const { store, close } = await openStore(`redis://127.0.0.1:${own.port}`)
    own.pause()
    const key = { listenerId: 'L1', eventId: crypto.randomUUID() }
    const committing = store.commit(key, 'a', 60_000)
    const closing = close()
    own.resume()
    expect(await committing).toBe('committed')
    await closing
  })

  test('the findings of check() are printed at the start', async () => {
    const bad = await startRedis('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru')
    onTestFinished(() => bad.close())
    const { stderr, stop } = await startListener(['--store', `redis://127.0.0.1:${bad.port}`], { env })
    expect(stderr.text).toMatch(/maxmemory-policy is allkeys-lru: .* Fix: set maxmemory-policy to noeviction/)
    expect(stderr.text).toMatch(/appendonly is off/)
    expect(await stop()).toBe(0)
  })

  test('deliveries get 503 while the server is gone; it recovers by itself, and Ctrl-C works without it', async () => {
    const own = await startRedis()
    onTestFinished(() => own.close())
    const { url, stop, stderr } = await startListener(['--store', `redis://127.0.0.1:${own.port}`], { env })
    await own.kill()
    expect((await send(url)).stdout).toMatch(/^503 /)
    await stderr.waitFor(
      /hookgate: the event store failed to claim: connect ECONNREFUSED 127.0.0.1:\d+\nERR_EVENT_STORE: https:\S+#err_event_store\n/,
    )
    await own.start()
    await expect.poll(async () => (await send(url)).stdout).toMatch(/^200 /)
    await own.kill()
    expect(await stop()).toBe(0)
  })

  test.each([
    ['a wrong password', (port: number) => `redis://:wr%6Fng@127.0.0.1:${port}`, /127.0.0.1:\d+: WRONGPASS/],
    ['nobody there', () => `redis://me:wr%6Fng@127.0.0.1:1`, /redis:\/\/127.0.0.1:1: connect ECONNREFUSED/],
    ['no such host', () => `redis://:wr%6Fng@nowhere.invalid/?x=wrong`, /nowhere.invalid\/?: getaddrinfo/],
  ])('%s: exit code 1, and no secret', async (_, urlOf, message) => {
    const ended = await hookgate(['listen', '--port', '0', '--store', urlOf(server.port)])
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).not.toMatch(/wrong|wr%6Fng/)
  })
})

describe.skipIf(WHY_NO_POSTGRES)(onPostgres('--store postgres://…'), () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.remove())

  test.each(['pg', 'postgres'])('%s shares events and shows no word of a password', async (name) => {
    const port = await portOf(server.socketPath)
    const scheme = name === 'pg' ? 'postgres' : 'postgresql'
    const url = `${scheme}://hookgate:${PASSWORD}@127.0.0.1:${port}/postgres`
    const printed = await shareAndRestart(url, await installedBeside(name))
    expect(printed).toContain(`\nEvents are remembered in ${scheme}://127.0.0.1:${port}\n`)
    expect(printed).not.toMatch(/sesame/)
  })
})

describe.skipIf(WHY_NO_MARIADB)(onMariadb('--store mysql://…'), () => {
  let server: MariadbServer
  beforeAll(async () => {
    server = await MariadbServer.start('innodb-flush-log-at-trx-commit=1')
    const admin = await mysql.createConnection(server.address)
    await admin.query(`CREATE USER me IDENTIFIED BY '${decodeURIComponent(PASSWORD)}'`)
    await admin.query('GRANT ALL ON hookgate.* TO me')
    await admin.end()
  })
  afterAll(() => server?.remove())

  test.each([
    ['mysql2', 'mysql'],
    ['mysql2', 'mariadb'],
    ['mariadb', 'mysql'],
    ['mariadb', 'mariadb'],
  ])('%s shares events of %s:// and shows no word of a password', async (name, protocol) => {
    const port = await portOf(server.socketPath)
    const url = `${protocol}://me:${PASSWORD}@127.0.0.1:${port}/hookgate`
    const printed = await shareAndRestart(url, await installedBeside(name))
    expect(printed).toContain(`\nEvents are remembered in ${protocol}://127.0.0.1:${port}\n`)
    expect(printed).not.toMatch(/sesame/)
    expect(printed).not.toContain('Fix: ')
  })

  test.each(['mysql2', 'mariadb'])(
    '%s: a wrong password, or nobody there: exit code 1, and no secret',
    async (name) => {
      const port = await portOf(server.socketPath)
      const { main, cwd } = await installedBeside(name)
      const reasons = [
        [`mysql://me:wr%6Fng@127.0.0.1:${port}/hookgate`, /Access denied|failed to retrieve a connection/],
        [
          'mysql://me:wr%6Fng@127.0.0.1:1/hookgate',
          /127.0.0.1:1: .*(ECONNREFUSED|failed to retrieve a connection)/s,
        ],
      ] as const
      for (const [store, reason] of reasons) {
        const ended = await run(process.execPath, [main, 'listen', '--port', '0', '--store', store], { cwd })
        expect(ended).toMatchObject({ code: 1, stdout: '' })
        expect(ended.stderr).toMatch(reason)
        expect(ended.stderr).not.toMatch(/wrong|wr%6Fng/)
      }
    },
  )
})

/** Opens a port in front of a server's Unix socket, because not every client can take a socket from a URL. */
async function portOf(socketPath: string): Promise<number> {
  const wire = createServer((near) => {
    const far = connect(socketPath)
    near.pipe(far).pipe(near)
    for (const socket of [near, far])
      socket.on('error', () => [near, far].forEach((end) => void end.destroy()))
  })
  await once(wire.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void wire.close())
  return (wire.address() as AddressInfo).port // only a pipe's address is a string
}
