import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { killAfterExit } from '../../../support/kill-after-exit.ts'
import type { Engine } from './engines.ts'

/** How to start a server and how to find its port. */
export interface Startable {
  readonly command: string
  /** @param port 0 for any free port. @param folder For its files. */
  args(port: number, folder: string): readonly string[]
  /** Added to the environment of this process. */
  env?(port: number): Readonly<Record<string, string>>
  /** Matches what the server prints once it listens. The group is the port. */
  readonly listens: RegExp
  urlOf(port: number): string
  /** The same for the workers' port, if it has one. */
  readonly listensToWorkers?: RegExp
}

/** Starts a server on a port that it chooses, and restarts it there. It ends with this process, however that ends. */
export async function startServer(server: Startable): Promise<Engine> {
  const { command, args, listens, urlOf, listensToWorkers = listens } = server
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-engine-'))
  const guard = killAfterExit(folder)
  let child: ChildProcess | undefined
  async function start(wanted: number): Promise<{ port: number; workerPort: number }> {
    const path = `${process.env.PATH}:/usr/sbin` // where Debian keeps servers
    const env = { ...process.env, PATH: path, ...server.env?.(wanted) }
    const started = spawn(command, args(wanted, folder), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    writeFileSync(join(folder, 'pid'), `${started.pid}`)
    let said = ''
    return new Promise((resolve, reject) => {
      const read = (bytes: Buffer) => {
        said += bytes.toString()
        const [port, workerPort] = [listens, listensToWorkers].map((pattern) => pattern.exec(said)?.[1])
        if (port !== undefined && workerPort !== undefined)
          resolve({ port: Number(port), workerPort: Number(workerPort) })
      }
      started.stdout.on('data', read)
      started.stderr.on('data', read)
      started.once('error', reject)
      started.once('exit', () => reject(new Error(`${command} ended: ${said}`)))
    })
  }
  async function halt(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(join(folder, 'pid'), { force: true }) // the process ID may soon belong to another
  }
  const { port, workerPort } = await start(0)
  return {
    url: urlOf(port),
    workerUrl: urlOf(workerPort),
    halt,
    resume: async () => void (await start(port)),
    async pause() {
      child?.kill('SIGSTOP')
      while (!isStopped(child?.pid)) await setImmediate()
    },
    unpause: () => void child?.kill('SIGCONT'),
    async remove() {
      await halt()
      guard.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** All its threads. The signal reaches them one after another, and until then each may still answer. */
function isStopped(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')))
}
