import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killAfterExit } from './kill-after-exit.ts'
import { type PostgresServer, USER, WHY_NO_POSTGRES } from './postgres-server.ts'
import { waitForStderr } from './wait-for-stderr.ts'

/** Debian installs it in /usr/sbin, which is not on every PATH. */
const PATH = `${process.env.PATH ?? ''}:/usr/sbin`

/** Why tests cannot use a real PgBouncer here. Undefined if they can. */
export const WHY_NO_PGBOUNCER: string | undefined =
  WHY_NO_POSTGRES ?? (isInstalled() ? undefined : 'no PgBouncer here: `apt-get install pgbouncer`')

/** For the name of a `describe.skipIf(WHY_NO_PGBOUNCER)`. */
export function behindPgbouncer(name: string): string {
  return WHY_NO_PGBOUNCER === undefined ? name : `${name} (skipped: ${WHY_NO_PGBOUNCER})`
}

/** When a server connection returns to the pool: after each transaction, or after each statement. */
export type PoolMode = 'transaction' | 'statement'

/** Fewer than any client opens, so that statements of several clients share each connection. */
const SERVER_CONNECTIONS = 3

/** A pooler in front of a server, on a socket in its own folder. */
export class Pgbouncer {
  readonly #server: PostgresServer
  readonly #folder = mkdtempSync(join(tmpdir(), 'hookgate-pgbouncer-'))
  #process: ChildProcess | undefined
  readonly #guard: ChildProcess

  private constructor(server: PostgresServer, mode: PoolMode) {
    this.#server = server
    const settings = join(this.#folder, 'pgbouncer.ini')
    writeFileSync(settings, settingsOf(server, this.#folder, mode))
    if (USER) for (const path of [this.#folder, settings]) chownSync(path, USER.uid, USER.gid)
    this.#guard = killAfterExit(this.#folder)
  }

  static async start(server: PostgresServer, mode: PoolMode): Promise<Pgbouncer> {
    const pooler = new Pgbouncer(server, mode)
    await pooler.resume()
    return pooler
  }

  /** The server's address, with the pooler's own socket folder. */
  get address(): PostgresServer['address'] {
    return { ...this.#server.address, host: this.#folder }
  }

  /** SIGKILL, without notice to clients. */
  async halt(): Promise<void> {
    const pooler = this.#process
    if (!pooler || pooler.exitCode !== null || pooler.signalCode !== null) return
    const gone = once(pooler, 'exit')
    pooler.kill('SIGKILL')
    await gone
  }

  /** Starts it again after `halt`. */
  async resume(): Promise<void> {
    for (const left of ['.s.PGSQL.5432', 'pid']) rmSync(join(this.#folder, left), { force: true })
    const pooler = spawn('pgbouncer', ['pgbouncer.ini'], {
      ...USER,
      cwd: this.#folder,
      env: { PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = pooler
    await waitForStderr(pooler, 'process up')
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.halt()
    this.#guard.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

function settingsOf({ address }: PostgresServer, folder: string, mode: PoolMode): string {
  const { host, port, user, database } = address
  return `[databases]
${database} = host=${host} port=${port} user=${user} pool_size=${SERVER_CONNECTIONS}
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = ${folder}
auth_type = any
pool_mode = ${mode}
pidfile = ${folder}/pid
max_client_conn = 500
server_login_retry = 0.1
`
}

function isInstalled(): boolean {
  return spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0
}
