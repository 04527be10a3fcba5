import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { killAfterExit } from './kill-after-exit.ts'

/** Why tests cannot use a real Redis here. Undefined if they can. */
export const WHY_NO_REDIS: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0
    ? undefined
    : 'no Redis here: `apt-get install redis-server`'

/** For the name of a `describe.skipIf(WHY_NO_REDIS)`. */
export function onRedis(name: string): string {
  return WHY_NO_REDIS === undefined ? name : `${name} (skipped: ${WHY_NO_REDIS})`
}

/** A redis-server on a free port, with a temporary folder. */
export interface RedisServer {
  readonly port: number
  /** Runs one command with redis-cli. */
  cli(...words: string[]): Promise<string>
  /** SIGKILL. */
  kill(): Promise<void>
  /** On the same port and folder, after `kill`. */
  start(): Promise<void>
  /** SIGSTOP: connections stay open without answers. */
  pause(): void
  resume(): void
  /** Stops the process and removes the folder. */
  close(): Promise<void>
}

/** Speaks TLS if its settings have `--tls-cert-file`. @throws with the output of the server if it does not start. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-redis-'))
  for (let attempt = 1; ; attempt += 1) {
    // Another test may take a free port before the server opens it.
    const [port = 0, busPort = 0] = await freePorts(2)
    const listen = settings.includes('--tls-cert-file') ? ['--port', '0', '--tls-port'] : ['--port']
    const own = [...listen, `${port}`, '--dir', folder, '--pidfile', join(folder, 'pid')]
    const bus = settings.includes('--cluster-enabled') ? ['--cluster-port', `${busPort}`] : []
    const server = new ServerProcess(
      port,
      [...own, ...bus, '--save', '', '--bind', '127.0.0.1', ...settings],
      folder,
    )
    try {
      await server.start()
      return server
    } catch (error) {
      if (attempt < 5) continue
      await server.close()
      throw error
    }
  }
}

class ServerProcess implements RedisServer {
  readonly port: number
  readonly #settings: readonly string[]
  readonly #folder: string
  readonly #guard: ChildProcess
  #child: ChildProcess | undefined

  constructor(port: number, settings: readonly string[], folder: string) {
    this.port = port
    this.#settings = settings
    this.#folder = folder
    this.#guard = killAfterExit(folder)
  }

  async start(): Promise<void> {
    const child = spawn('redis-server', this.#settings, { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#child = child
    let printed = ''
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (bytes: Buffer) => {
        printed += bytes.toString()
        if (/Ready to accept connections/.test(printed)) resolve()
      })
      child.once('exit', () => reject(new Error(`redis-server ended: ${printed}`)))
    })
  }

  async cli(...words: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('redis-cli', ['-e', '-p', `${this.port}`, ...words])
    return stdout.trim()
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(join(this.#folder, 'pid'), { force: true }) // the process ID may soon belong to another
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  async close(): Promise<void> {
    await this.kill()
    this.#guard.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

export interface RedisCluster {
  readonly nodes: readonly RedisServer[]
  close(): Promise<void>
}

const SLOTS = 16_384

/** Three primaries, each with a third of the slots. */
export async function startRedisCluster(...settings: string[]): Promise<RedisCluster> {
  const nodes = await Promise.all(
    [0, 1, 2].map(() =>
      startRedis('--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', ...settings),
    ),
  )
  const close = async () => {
    await Promise.all(nodes.map((node) => node.close()))
  }
  try {
    await Promise.all(nodes.map((node, number) => takeSlots(node, number, nodes)))
    await Promise.all(nodes.map((node) => untilReady(node)))
    return { nodes, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function takeSlots(node: RedisServer, number: number, nodes: readonly RedisServer[]): Promise<void> {
  const first = Math.ceil((number * SLOTS) / nodes.length)
  const last = Math.ceil(((number + 1) * SLOTS) / nodes.length) - 1
  await node.cli('CLUSTER', 'SET-CONFIG-EPOCH', `${number + 1}`)
  await node.cli('CLUSTER', 'ADDSLOTSRANGE', `${first}`, `${last}`)
  for (const other of nodes) {
    const busPort = (await other.cli('CONFIG', 'GET', 'cluster-port')).split('\n')[1] ?? ''
    if (other !== node) await node.cli('CLUSTER', 'MEET', '127.0.0.1', `${other.port}`, busPort)
  }
}

async function untilReady(node: RedisServer): Promise<void> {
  for (;;) {
    const state = await node.cli('CLUSTER', 'INFO')
    if (/cluster_state:ok/.test(state) && /cluster_known_nodes:3/.test(state)) return
    await sleep(50)
  }
}

async function freePorts(count: number): Promise<number[]> {
  const holders = await Promise.all(
    Array.from({ length: count }, async () => {
      const holder = createServer().listen(0, '127.0.0.1')
      await once(holder, 'listening')
      return holder
    }),
  )
  return Promise.all(
    holders.map(async (holder) => {
      // Listening on a TCP port, so the address is not a path.
      const { port } = holder.address() as AddressInfo
      holder.close()
      await once(holder, 'close')
      return port
    }),
  )
}
