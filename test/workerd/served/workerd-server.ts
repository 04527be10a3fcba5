import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SERVE = fileURLToPath(new URL('./serve.mjs', import.meta.url))
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** A real workerd that serves a Worker. Its processes have their own process group, so signals reach all of them. */
export interface WorkerdServer {
  readonly url: string
  /** What it has printed so far. */
  readonly printed: () => string
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Sends SIGKILL, and waits until it has ended. */
  kill(): Promise<void>
}

/**
 * @param folder Keeps all objects and databases between runs.
 * @param entry The Worker's module.
 * @param env For serve.mjs.
 */
export async function startWorkerd(
  folder: string,
  entry: string = WORKER,
  env: { readonly [name: string]: string } = {},
): Promise<WorkerdServer> {
  const child = spawn(process.execPath, [SERVE, folder, entry], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name)
  }
  const stop = () => signal('SIGKILL')
  process.once('exit', stop)
  const kill = async () => {
    process.removeListener('exit', stop)
    stop()
    await gone
  }
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (bytes: Buffer) => {
      printed += bytes.toString()
      const found = /listens at (\S+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void gone.then(() => reject(new Error(`workerd ended: ${printed}`)))
  })
  return { url, printed: () => printed, signal, kill }
}
