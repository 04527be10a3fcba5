import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

const ENGINE = fileURLToPath(new URL('./dynamodb-engine.mjs', import.meta.url))

/** The SDK's settings for a local server, with dummy keys. */
export function settingsFor(port: number): DynamoDBClientConfig {
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
  return { endpoint: `http://127.0.0.1:${port}`, region: 'local', credentials }
}

/** dynalite in a separate process, on a temporary folder. */
export class DynamodbServer {
  /** dynalite itself, which does not return the item of a failed condition. */
  plainPort = 0
  /** A front that adds this and time to live, as in AWS. */
  port = 0
  readonly #folder: string
  readonly #clients: DynamoDB[] = []
  #child: ChildProcess | undefined
  readonly #atExit = () => {
    this.#child?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'hookgate-dynamodb-'))
    process.once('exit', this.#atExit)
  }

  static async start(): Promise<DynamodbServer> {
    const server = new DynamodbServer()
    await server.resume()
    return server
  }

  /** Restarts on the same ports and folder after `halt`. */
  async resume(): Promise<void> {
    const child = fork(ENGINE, [this.#folder, `${this.plainPort}`, `${this.port}`], { execArgv: [] })
    this.#child = child
    const ended = once(child, 'exit').then(() => {
      throw new Error('dynalite ended')
    })
    const [ports] = await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    this.plainPort = ports.port
    this.port = ports.frontPort
  }

  /** A client that is destroyed with the server. Does not retry by default. */
  client(settings: DynamoDBClientConfig = {}): DynamoDB {
    const client = new DynamoDB({ ...settingsFor(this.port), maxAttempts: 1, ...settings })
    this.#clients.push(client)
    return client
  }

  /** `refuse`: an error of AWS for every request (null: none). `aheadMs`: how far the date in its answers is ahead. */
  async behave(change: { readonly refuse?: string | null; readonly aheadMs?: number }): Promise<void> {
    const child = this.#child
    child?.send(change)
    if (child) await once(child, 'message')
  }

  /** SIGKILL. */
  async halt(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** SIGSTOP: connections stay open without answers. */
  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  unpause(): void {
    this.#child?.kill('SIGCONT')
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await this.halt()
    process.off('exit', this.#atExit)
    this.#atExit()
  }
}
