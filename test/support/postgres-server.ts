import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { waitForStderr } from './wait-for-stderr.ts'

/** Debian keeps the server out of PATH, in a folder for each version. */
const DEBIAN = '/usr/lib/postgresql'

/** The folder of `initdb` and `postgres`. Undefined if they are not installed. */
const BINARIES = findBinaries()

/** Postgres and PgBouncer refuse to run as root. Undefined if this process need not change its user. */
export const USER: { uid: number; gid: number } | undefined =
  process.getuid?.() === 0 ? accountOf('postgres', 'nobody') : undefined

/** Why tests cannot use a real Postgres here. Undefined if they can. */
export const WHY_NO_POSTGRES: string | undefined =
  BINARIES === undefined ? 'no Postgres here: `apt-get install postgresql`' : undefined

/** For the name of a `describe.skipIf(WHY_NO_POSTGRES)`. */
export function onPostgres(name: string): string {
  return WHY_NO_POSTGRES === undefined ? name : `${name} (skipped: ${WHY_NO_POSTGRES})`
}

/**
 * Stops the server and removes its folder when its input ends. The input ends with this process, even if an interrupt
 * skips `afterAll`.
 */
const GUARD = `cat > /dev/null
postmaster="$(head -n 1 "$0/cluster/postmaster.pid")"
kill -CONT "$postmaster"; kill -QUIT "$postmaster"
sleep 1
rm -rf "$0"`

/** A server in its own folder. Shares nothing with other tests and uses no port. */
export class PostgresServer {
  /** Its socket is here, as `.s.PGSQL.5432`. */
  readonly folder: string
  /** What it has said so far. */
  log = ''
  readonly #guard: ChildProcess
  readonly #settings: readonly string[]
  #postmaster: ChildProcess | undefined

  private constructor(settings: readonly string[]) {
    this.#settings = settings
    this.folder = mkdtempSync(join(tmpdir(), 'hookgate-postgres-'))
    if (USER) chownSync(this.folder, USER.uid, USER.gid)
    this.#guard = spawn('sh', ['-c', GUARD, this.folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#guard.unref()
  }

  /** @param given Settings like `fsync=on`, in place of those that make tests fast. */
  static async start(...given: readonly string[]): Promise<PostgresServer> {
    const server = new PostgresServer(given)
    const choices = ['-A', 'trust', '-U', 'hookgate', '-E', 'UTF8', '--no-locale', '--no-sync']
    execFileSync(binary('initdb'), ['-D', server.#cluster, ...choices], { ...USER, cwd: server.folder })
    await server.resume()
    return server
  }

  /** Starts a standby of this server: it repeats what is committed here, and is read-only. */
  async standby(...given: readonly string[]): Promise<PostgresServer> {
    const server = new PostgresServer(given)
    const choices = [
      '-h',
      this.folder,
      '-U',
      'hookgate',
      '--write-recovery-conf',
      '--checkpoint=fast',
      '--no-sync',
    ]
    // Debian links few of the server's programs into PATH.
    const program = join(dirname(realpathSync(binary('postgres'))), 'pg_basebackup')
    execFileSync(program, ['-D', server.#cluster, ...choices], { ...USER, cwd: server.folder })
    await server.resume()
    return server
  }

  /** For pg and postgres.js, which both accept a folder as the host. */
  get address(): { host: string; port: number; user: string; database: string } {
    return { host: this.folder, port: 5432, user: 'hookgate', database: 'postgres' }
  }

  /** The same as a URL, for another process. */
  get url(): string {
    const { host, user, database } = this.address
    return `postgres://${user}@localhost/${database}?host=${host}`
  }

  get socketPath(): string {
    return join(this.folder, '.s.PGSQL.5432')
  }

  /** Starts the server again after `halt` or `kill`, whose backends may take a moment to end. */
  async resume(): Promise<void> {
    for (;;) {
      try {
        return await this.#launch()
      } catch (error) {
        if (!/pre-existing shared memory block/.test(String(error))) throw error
        await pause(50)
      }
    }
  }

  async #launch(): Promise<void> {
    const settings = [
      'listen_addresses=',
      `unix_socket_directories=${this.folder}`,
      'fsync=off',
      'shared_buffers=16MB',
      'max_connections=200',
      ...this.#settings,
    ]
    const postmaster = spawn(
      binary('postgres'),
      ['-D', this.#cluster, ...settings.flatMap((setting) => ['-c', setting])],
      { ...USER, cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    this.#postmaster = postmaster
    postmaster.stderr.on('data', (chunk) => {
      this.log += chunk
    })
    await waitForStderr(postmaster, 'ready to accept ') // or read-only connections, of a standby
  }

  /** Stops at once, like a crash, without notice to clients. */
  async halt(): Promise<void> {
    const postmaster = this.#postmaster
    if (!postmaster || postmaster.exitCode !== null || postmaster.signalCode !== null) return
    const gone = new Promise((resolve) => postmaster.once('exit', resolve))
    this.unpause()
    postmaster.kill('SIGQUIT')
    await gone
  }

  /** Ends the postmaster and every backend with SIGKILL, like a machine that fails. */
  async kill(): Promise<void> {
    const postmaster = this.#postmaster
    if (!postmaster || postmaster.exitCode !== null || postmaster.signalCode !== null) return
    const gone = new Promise((resolve) => postmaster.once('exit', resolve))
    this.#signal('SIGKILL')
    await gone
  }

  /** Stops the postmaster and every backend without closing their connections. Nothing is answered. */
  pause(): void {
    // The postmaster first, or it would start another backend meanwhile.
    this.#signal('SIGSTOP')
  }

  unpause(): void {
    this.#signal('SIGCONT')
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

  #signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    const postmaster = this.#postmaster?.pid
    if (postmaster === undefined) return
    signal(postmaster, name === 'SIGKILL' ? 'SIGSTOP' : name) // so that it starts no other backend meanwhile
    const everyone = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
    for (const line of everyone) {
      const [child, parent] = line.trim().split(/\s+/).map(Number)
      if (child && parent === postmaster) signal(child, name)
    }
    if (name === 'SIGKILL') signal(postmaster, name)
  }
}

/** It may have ended since it was listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {}
}

/** The first of these accounts that exists. */
function accountOf(...names: readonly string[]): { uid: number; gid: number } | undefined {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account = names.flatMap((name) => accounts.find(([found]) => found === name) ?? [])
  return account.length === 0 ? undefined : { uid: Number(account[2]), gid: Number(account[3]) }
}

function binary(name: string): string {
  if (BINARIES === undefined) throw new Error(WHY_NO_POSTGRES)
  return join(BINARIES, name)
}

function findBinaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : []
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a))
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...newestFirst.map((version) => join(DEBIAN, version, 'bin')),
  ]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))))
}
