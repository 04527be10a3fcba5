import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { replyOf } from '../support/reply.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** The last line that it prints at its start. */
const STARTED = /Listening on (http:\S+),.*(?:TOKEN=\S+|No demo token is valid here.*)\s/s

/** The built service in its own process, which tests kill and restart. */
export class ServiceProcess {
  readonly #main: string
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined
  #origin = ''
  #printed = ''

  /** @param settings Its `SERVICE_…` variables. */
  constructor(settings: Readonly<Record<string, string>>, main = MAIN) {
    this.#main = main
    this.#environment = {
      ...process.env,
      SERVICE_PORT: '0',
      SERVICE_SEED: 'on',
      SERVICE_DRAIN_SECONDS: '0',
      ...settings,
    }
  }

  /** Its URL, which changes with each start. It does not answer after a kill. */
  get origin(): string {
    return this.#origin
  }

  /** All output since its start. */
  get printed(): string {
    return this.#printed
  }

  /** Null while it runs, or if a signal ended it. */
  get exitCode(): number | null | undefined {
    return this.#child?.exitCode
  }

  /** The demo tenant's super admin. */
  get token(): string {
    return /TOKEN=(\S+)/.exec(this.#printed)?.[1] ?? ''
  }

  /** @param settings Variables for this start only. */
  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(process.execPath, [this.#main], {
      env: { ...this.#environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#printed = ''
    child.stderr.on('data', (chunk: Buffer) => {
      this.#printed += chunk
    })
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code, signal) => {
        reject(new Error(`the service ended (${code ?? signal}): ${this.#printed}`))
      })
      child.stdout.on('data', (chunk: Buffer) => {
        this.#printed += chunk
        const [, origin] = STARTED.exec(this.#printed) ?? []
        if (origin === undefined) return
        this.#origin = origin
        resolve()
      })
    })
  }

  /** SIGKILL ends it without cleanup, SIGTERM in order. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await gone
  }

  /** Calls the API as the super admin. */
  async ask(method: string, path: string, body?: unknown) {
    const reply = await fetch(`${this.#origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return (await replyOf(reply)).body
  }

  /** All elements of a list, page by page. */
  async listed(path: string) {
    const all = []
    let token = ''
    do {
      const page = await this.ask('GET', `${path}?page_size=100&page_token=${token}`)
      all.push(...page.list)
      token = page.nextPageToken
    } while (token !== '')
    return all
  }
}
