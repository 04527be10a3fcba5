import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { leash } from '../../support/leash.ts'
import type { Engine } from './engines.ts'

/** How to start a server, and how to know its port. */
export interface Startable {
  readonly command: string
  /** @param port 0 is a free one. @param folder For what it keeps. */
  args(port: number, folder: string): readonly string[]
  /** Holds the port as its group, in what the server says once it listens. */
  readonly listens: RegExp
  urlOf(port: number): string
}

/** Starts a server on a port of its own choice, to which it comes back. Ends with this process, whatever ends that. */
export async function startServer({ command, args, listens, urlOf }: Startable): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-engine-'))
  const guard = leash(folder)
  let child: ChildProcess | undefined
  async function start(wanted: number): Promise<number> {
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` } // where Debian keeps servers
    const server = spawn(command, args(wanted, folder), { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child = server
    writeFileSync(join(folder, 'pid'), `${server.pid}`)
    let said = ''
    return new Promise((resolve, reject) => {
      const read = (bytes: Buffer) => {
        said += bytes.toString()
        const found = listens.exec(said)?.[1]
        if (found !== undefined) resolve(Number(found))
      }
      server.stdout.on('data', read)
      server.stderr.on('data', read)
      server.once('error', reject)
      server.once('exit', () => reject(new Error(`${command} ended: ${said}`)))
    })
  }
  async function halt(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(join(folder, 'pid'), { force: true }) // the number may soon be another's
  }
  const port = await start(0)
  return {
    url: urlOf(port),
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

/** All its threads: the signal reaches one after another, and each may still answer. */
function isStopped(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).every((task) => /\) T /.test(readFileSync(join(tasks, task, 'stat'), 'utf8')))
}
