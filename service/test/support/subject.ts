import { fakeClock } from '../../../test/support/clock.ts'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { seed } from '../../src/demo/seed.ts'
import { demoToken } from '../../src/demo/tenant.ts'
import { hashOf, type Role } from '../../src/http/bearer.ts'
import type { Dependencies } from '../../src/http/dependencies.ts'
import { knownSecrets } from '../../src/listeners/known-secret.ts'
import { openMetrics } from '../../src/metrics.ts'
import { RunQueue } from '../../src/runs/queue.ts'
import { replyOf } from './reply.ts'

/** The root secret of the templates. */
export const SECRET = 'a secret that is only known to the tests of the service'

/** A migrated and seeded service on one engine, for one `describe`. */
export class Subject {
  readonly clock = fakeClock()
  readonly stopping = new AbortController()
  readonly reports: unknown[] = []
  readonly token: string = demoToken(SECRET)
  readonly #metrics = openMetrics()
  #database: Database | undefined
  #runs: RunQueue | undefined
  #app: ReturnType<typeof createApp> | undefined

  async start(database: Database): Promise<void> {
    this.#database = database
    await migrate(database)
    await knownSecrets(database, { secret: SECRET }, () => {})
    this.#runs = new RunQueue(database)
    await seed(this.dependencies)
    this.#app = createApp(this.dependencies)
  }

  get database(): Database {
    if (this.#database === undefined) throw new Error('the database is open inside tests only')
    return this.#database
  }

  async stop(): Promise<void> {
    await this.database.close()
  }

  get runs(): RunQueue {
    if (this.#runs === undefined) throw new Error('the queue is open inside tests only')
    return this.#runs
  }

  get app(): ReturnType<typeof createApp> {
    if (this.#app === undefined) throw new Error('the app is there inside tests only')
    return this.#app
  }

  get dependencies(): Dependencies {
    return {
      database: this.database,
      clock: this.clock,
      newId: () => crypto.randomUUID(),
      secret: SECRET,
      baseUrl: 'https://tenant.example',
      config: readConfig({}),
      runs: this.runs,
      metrics: this.#metrics,
      stopping: this.stopping.signal,
      report: (error) => this.reports.push(error),
    }
  }

  /** The dependencies, with other settings. */
  with(settings: Partial<Dependencies['config']>): Dependencies {
    return { ...this.dependencies, config: { ...this.dependencies.config, ...settings } }
  }

  /** A token with one role, by default for Ada. */
  async tokenWith(role: Role, userId = 'user-ada'): Promise<string> {
    const [id, secret] = [crypto.randomUUID().replaceAll('-', ''), 's'.repeat(43)]
    await this.database.query(
      'INSERT INTO access_tokens (id, secret_hash, user_id, roles) VALUES ($1, $2, $3, $4)',
      [id, hashOf(secret), userId, [role]],
    )
    return `svc_${id}_${secret}`
  }

  /** Sends a JSON request with the demo token by default. A `token` of undefined sends none. */
  async ask(method: string, path: string, body?: unknown, token: string | undefined = this.token) {
    const reply = await this.app.request(path, {
      method,
      headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (reply.status === 500) throw this.reports.at(-1)
    return replyOf(reply)
  }

  get = (path: string, token?: string) => this.ask('GET', path, undefined, token)
  post = (path: string, body: unknown, token?: string) => this.ask('POST', path, body, token)
  patch = (path: string, body: unknown, token?: string) => this.ask('PATCH', path, body, token)
}
