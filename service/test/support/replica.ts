import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/database.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { revokeDemoTokenOfOthers } from '../../src/demo/tenant.ts'
import { knownSecrets } from '../../src/listeners/known-secret.ts'
import { openMetrics } from '../../src/metrics.ts'
import { RunQueue } from '../../src/runs/queue.ts'
import type { addressIn } from './copies.ts'

/** A replica of the service in this process: as `serve.ts` starts one, without a server and the work on runs. */
export class Replica {
  readonly #address: ReturnType<typeof addressIn>
  #database: Database | undefined
  #app: ReturnType<typeof createApp> | undefined
  /** All lines since its start. */
  printed = ''

  constructor(address: ReturnType<typeof addressIn>) {
    this.#address = address
  }

  /**
   * Ends it and starts it with these root secrets.
   *
   * @param transactions It dies in its start after so many.
   * @returns What it printed, or why it refused.
   */
  async become(secret: string, otherSecret?: string, transactions = Infinity): Promise<string> {
    await this.end()
    this.printed = ''
    const opened = openPostgres(this.#address, () => {})
    let left = transactions
    const database: Database = {
      ...opened,
      transaction: (work) => {
        left -= 1
        return left < 0 ? Promise.reject(new Error('it died')) : opened.transaction(work)
      },
    }
    this.#database = database
    const report = (said: unknown) => {
      this.printed += `${said}\n`
    }
    try {
      const secrets = await knownSecrets(database, { secret, otherSecret }, report)
      await revokeDemoTokenOfOthers(database, secrets.secret)
      this.#app = createApp({
        ...secrets,
        database,
        clock: Date,
        newId: () => crypto.randomUUID(),
        baseUrl: 'https://tenant.example',
        config: readConfig({}),
        runs: new RunQueue(database),
        metrics: openMetrics(),
        stopping: new AbortController().signal,
        report,
      })
      return this.printed
    } catch (error) {
      return String(error)
    }
  }

  async request(path: string, init: RequestInit): Promise<Response> {
    if (this.#app === undefined) throw new Error('the replica has not been started')
    return this.#app.request(path, init)
  }

  async end(): Promise<void> {
    this.#app = undefined
    await this.#database?.close()
    this.#database = undefined
  }
}
