import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { waitForStderr } from './wait-for-stderr.ts'

/** A server of your own, such as MySQL 8, for the tests that need not stop their server. */
const OWN_URL: string | undefined = process.env.HOOKGATE_MYSQL_URL

/** The `mysqld` of a MySQL, which takes the place of MariaDB in every test. */
const MYSQLD: string | undefined = process.env.HOOKGATE_MYSQLD

/** What only MariaDB has is then not tested. */
export const IS_MYSQL: boolean = MYSQLD !== undefined

/** The lock timeout is what docs/stores/mysql.md asks for. */
const OF_MYSQL = ['innodb-redo-log-capacity=8M', 'mysqlx=OFF', 'innodb-lock-wait-timeout=1']

const SERVER = MYSQLD ?? findBinary('mariadbd')

/** Why tests cannot use a real server here. Undefined if they can. */
export const WHY_NO_MARIADB: string | undefined =
  SERVER === undefined ? 'no MariaDB here: `apt-get install mariadb-server`' : undefined

/** For the name of a `describe.skipIf(WHY_NO_MARIADB)`. */
export function onMariadb(name: string): string {
  return WHY_NO_MARIADB === undefined ? name : `${name} (skipped: ${WHY_NO_MARIADB})`
}

/** Like `WHY_NO_MARIADB`, for tests that a server of your own can run. */
export const WHY_NO_MYSQL: string | undefined = OWN_URL === undefined ? WHY_NO_MARIADB : undefined

/** MariaDB refuses to run as root. Undefined if this process need not change its user. */
const USER = process.getuid?.() === 0 ? accountOf('mysql', 'nobody') : undefined

/**
 * Stops the server and removes its folder when its input ends. The input ends with this process, even if an interrupt
 * skips `afterAll`.
 */
const GUARD = `cat > /dev/null
kill -KILL "$(cat "$0/server.pid")"
rm -rf "$0"`

/** What mysql2 and mariadb both connect to. */
export type MysqlAddress = Readonly<
  { user: string; database: string; password?: string } & (
    | { socketPath: string }
    | { host: string; port: number }
  )
>

/** What tests need of a server that they do not stop. */
export interface MysqlServer {
  readonly address: MysqlAddress
  remove(): Promise<void>
}

/** A private MariaDB, or your own server if HOOKGATE_MYSQL_URL names one. */
export async function startMysql(): Promise<MysqlServer> {
  if (OWN_URL === undefined) return MariadbServer.start()
  const { hostname, port, username, password, pathname } = new URL(OWN_URL)
  const address = {
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  }
  return { address, remove: async () => {} }
}

/** A server in its own folder. Shares nothing with other tests and uses no port. */
export class MariadbServer implements MysqlServer {
  readonly folder: string
  readonly #guard: ChildProcess
  readonly #settings: readonly string[]
  #server: ChildProcess | undefined

  private constructor(settings: readonly string[]) {
    this.#settings = settings
    this.folder = mkdtempSync(join(tmpdir(), 'hookgate-mariadb-'))
    if (USER) chownSync(this.folder, USER.uid, USER.gid)
    this.#guard = spawn('sh', ['-c', GUARD, this.folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#guard.unref()
  }

  /** @param given Settings like `innodb-flush-log-at-trx-commit=1`, in place of those that make tests fast. */
  static async start(...given: readonly string[]): Promise<MariadbServer> {
    const server = new MariadbServer(given)
    const choices =
      MYSQLD === undefined
        ? ['--auth-root-authentication-method=normal', '--skip-test-db', '--innodb-log-file-size=8M']
        : ['--initialize-insecure', '--innodb-redo-log-capacity=8M']
    const install = MYSQLD ?? binary('mariadb-install-db')
    execFileSync(install, ['--no-defaults', `--datadir=${server.#cluster}`, ...choices], {
      ...USER,
      cwd: server.folder,
      stdio: 'ignore',
    })
    await server.resume('CREATE DATABASE IF NOT EXISTS hookgate;')
    return server
  }

  get address(): { socketPath: string; user: string; database: string } {
    return { socketPath: this.socketPath, user: 'root', database: 'hookgate' }
  }

  get socketPath(): string {
    return join(this.folder, 'socket')
  }

  /** Starts the server again after `halt`. */
  async resume(statement = ''): Promise<void> {
    const settings = [
      'skip-networking',
      `datadir=${this.#cluster}`,
      `socket=${this.socketPath}`,
      `pid-file=${join(this.folder, 'server.pid')}`,
      `tmpdir=${this.folder}`, // a MariaDB that starts deletes the temporary tables there, also those of others
      'innodb-flush-log-at-trx-commit=2', // survives a crash of the server, but not of the machine
      'innodb-buffer-pool-size=16M',
      ...(MYSQLD === undefined ? ['innodb-log-file-size=8M'] : OF_MYSQL),
      'max-connections=300',
      ...this.#settings,
    ]
    const init = join(this.folder, 'init.sql')
    execFileSync('sh', ['-c', `printf '%s\\n' "$1" > "$0"`, init, statement], { ...USER })
    const server = spawn(
      MYSQLD ?? binary('mariadbd'),
      ['--no-defaults', ...[...settings, `init-file=${init}`].map((setting) => `--${setting}`)],
      { ...USER, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#server = server
    await waitForStderr(server, 'ready for connections')
  }

  /** Stops at once, like a crash, without notice to clients. */
  async halt(): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await gone
  }

  /** Stops the server without closing its connections. Nothing is answered. */
  pause(): void {
    this.#server?.kill('SIGSTOP')
    // Its threads may answer for another moment.
    const state = () => execFileSync('ps', ['-o', 'state=', '-p', `${this.#server?.pid}`]).toString()
    while (!state().startsWith('T')) {}
  }

  unpause(): void {
    this.#server?.kill('SIGCONT')
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.halt()
    this.#guard.kill('SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  get #cluster(): string {
    return join(this.folder, 'cluster')
  }
}

function binary(name: string): string {
  const path = findBinary(name)
  if (path === undefined) throw new Error(WHY_NO_MARIADB)
  return path
}

/** Debian keeps the server out of an ordinary user's PATH. */
function findBinary(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find(existsSync)
}

/** The first of these accounts that exists. */
function accountOf(...names: readonly string[]): { uid: number; gid: number } | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account = names.flatMap((name) => accounts.find(([found]) => found === name) ?? [])
  return account.length === 0 ? undefined : { uid: Number(account[2]), gid: Number(account[3]) }
}
