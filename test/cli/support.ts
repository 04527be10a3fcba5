import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const MAIN = join(ROOT, 'dist/cli/main.js')
export const SECRET = 'cli-tests-0123456789-abcdefghijklmnopqrstuv'
export const PATH = '/api/v1/webhooks/incoming/demo'

export interface Surroundings {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** The command line to run. Default: the one of this clone. */
  readonly main?: string | undefined
  /** Standard input. Default: empty. */
  readonly input?: string | Uint8Array
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The environment of the test run, without variables that change the output. */
export function cleanEnv(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { HOOKGATE_SECRET: _, HOOKGATE_STORE: __, FORCE_COLOR: ___, NO_COLOR: ____, ...rest } = process.env
  return { ...rest, ...env }
}

/** Runs the built command line until it exits. */
export function hookgate(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return run(process.execPath, [MAIN, ...args], surroundings)
}

/** Installs the built package in a folder, with its dependencies and these other packages of the clone. Returns its own folder. */
export async function installPackage(cwd: string, others: readonly string[] = []): Promise<string> {
  const own = join(cwd, 'node_modules/hookgate')
  await mkdir(own, { recursive: true })
  const pages = join(ROOT, 'dist/page-') // other tests write programs there meanwhile
  const filter = (source: string) => !source.startsWith(pages)
  await cp(join(ROOT, 'dist'), join(own, 'dist'), { recursive: true, filter })
  await cp(join(ROOT, 'package.json'), join(own, 'package.json'))
  for (const name of [...Object.keys(packageJson.dependencies), ...others])
    await symlink(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name))
  return own
}

/** Runs a line in a shell, as if it had been pasted there. */
export function shell(line: string, surroundings: Surroundings = {}): Promise<Ended> {
  return run('sh', ['-c', line], surroundings)
}

export async function run(
  program: string,
  args: readonly string[],
  { env, cwd, input = '' }: Surroundings,
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: cleanEnv(env) })
  child.stdin.on('error', () => {}) // the command may exit without reading
  child.stdin.end(input)
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const code = await exitOf(child)
  return { code, stdout: stdout.text, stderr: stderr.text }
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
}

/** The output so far, and ways to wait for more. */
class Output {
  text = ''
  /** Ends the reading, as `head` does. */
  readonly close: () => void
  #wake = () => {}

  constructor(stream: Readable) {
    this.close = () => void stream.destroy()
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      this.text += chunk
      this.#wake()
    })
    stream.on('close', () => this.#wake())
  }

  /** Resolves with the first match. */
  async waitFor(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.text)
      if (match) return match
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function collect(stream: Readable): Output {
  return new Output(stream)
}

export interface RunningListener {
  readonly url: string
  readonly pid: number | undefined
  /** The next command, exactly as printed. */
  readonly command: string
  readonly stdout: Output
  readonly stderr: Output
  /** Resolves with the lines of `count` deliveries. */
  deliveries(count: number): Promise<string[]>
  signal(name: NodeJS.Signals): void
  readonly exit: Promise<number | null>
  stop(): Promise<number | null>
}

/** `hookgate listen` on a free port, until the test ends. */
export async function startListener(
  args: readonly string[] = [],
  { env, cwd, main = MAIN }: Surroundings = {},
): Promise<RunningListener> {
  const child = spawn(process.execPath, [main, 'listen', '--port', '0', ...args], { cwd, env: cleanEnv(env) })
  const exit = exitOf(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exit
  })
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const banner = args.includes('--json') ? stderr : stdout
  const ready = banner.waitFor(/^Listening on (\S+)\n[\s\S]*^(?: {2}(.* send .*)|Next, have .*)\n\n/m)
  const failed = exit.then((code) => {
    throw new Error(`listen ended with ${code}: ${stderr.text}`)
  })
  const [, url = '', command = ''] = await Promise.race([ready, failed])
  failed.catch(() => {})
  return {
    url,
    pid: child.pid,
    command,
    stdout,
    stderr,
    exit,
    signal: (name) => void child.kill(name),
    stop() {
      child.kill('SIGINT')
      return exit
    },
    async deliveries(count) {
      const pattern = args.includes('--json') ? '\\{.*' : '\\d\\d:\\d\\d:\\d\\d .*'
      await stdout.waitFor(new RegExp(`(?:^${pattern}\n(?:[\\s\\S]*?)){${count}}`, 'm'))
      return stdout.text.match(new RegExp(`^${pattern}$`, 'gm')) ?? []
    },
  }
}

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hookgate-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

export async function temporaryFile(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryDirectory(), name)
  await writeFile(path, content)
  return path
}
