/** Declarations that every docstring example may use. */
export const GRANTED = `
import type { Delivery, Evidence, NamedSecret, Json, Listener, ListenerOptions, Reply, Verdict, WebhookEvent } from 'hookgate'
import type { LoadListener } from 'hookgate/listeners'
import type { CodeScheme } from 'hookgate/schemes'
import type { Endpoint } from 'hookgate/sender'
declare global {
  const attempts: number
  const body: string
  const client: import('ioredis').Redis
  const delivery: Delivery
  const endpoint: Endpoint
  const env: {
    readonly EVENTS: import('@cloudflare/workers-types').DurableObjectNamespace
    readonly DB: import('@cloudflare/workers-types').D1Database
  }
  const eventId: string
  const job: { readonly data: unknown }
  const listener: Listener
  const load: LoadListener
  const newSecret: NamedSecret
  const oldSecret: NamedSecret
  const options: ListenerOptions
  const privateKey: import('jose').JWK
  const publicJwk: object
  const queue: { add(name: string, job: unknown, options?: object): Promise<unknown> }
  const row: CodeScheme
  const secret: string
  const tenants: import('hookgate/listeners').Listeners
  const text: string
  const url: string
  const verdict: Verdict
  function findPlaidKey(keyId: string): Promise<object | undefined>
  function findTenant(id: string): Promise<{ readonly id: string } | undefined>
  function handle(event: WebhookEvent): Promise<Reply>
  function isGenuine(evidence: Evidence): Promise<boolean>
  function saveOrder(id: string, payload: Json): Promise<void>
  function toListener(tenant: { readonly id: string } | undefined): Listener | undefined
}
`

/** A Node and a web request, on their way through `hookgate/adapter`. */
const ADAPTER = `
import * as adapter from 'hookgate/adapter'
declare const request: Request, app: { readonly proxy: boolean }, req: import('node:http').IncomingMessage, res: import('node:http').ServerResponse
declare const receiver: ReturnType<typeof adapter.createReceiver<Request, import('hookgate').Listener>>
declare const outcome: Exclude<Awaited<ReturnType<typeof receiver.receiveAndClaim>>, adapter.Refusal>
declare function answerTo(event: import('hookgate').WebhookEvent): Promise<Response>
`

/** Further declarations for the files whose path begins like this. */
const GRANTED_IN: readonly (readonly [path: string, declarations: string])[] = [
  [
    'adapters/express',
    "declare const app: import('express').Express, handler: import('express').RequestHandler",
  ],
  ['adapters/fastify', "declare const app: import('fastify').FastifyInstance, scope: typeof app"],
  ['adapters/hono', "declare const app: import('hono').Hono"],
  ['adapters/kit/as-error', 'declare const run: () => Promise<void>, next: (error: Error) => void'],
  ['adapters/kit/webhook-of', "declare const request: import('express').Request"],
  ...['incoming', 'observe', 'outcome', 'read-', 'receiver', 'settle', 'trusted-'].map(
    (name) => [`adapters/kit/${name}`, ADAPTER] as const,
  ),
  [
    'src/stop/',
    "declare const app: import('express').Express, server: import('node:http').Server, worker: import('hookgate/inbox').InboxWorker, pool: import('pg').Pool",
  ],
  ['src/sender/', "declare const event: import('hookgate/sender').OutgoingEvent"],
  ['src/sender/judge', "declare const request: import('hookgate/testing').SignedRequest"],
  ['src/sender/jwks', "declare const app: import('hono').Hono, currentKey: object, nextKey: object"],
  ['adapters/web', 'declare const request: Request'],
  ['src/stores/dynamodb', "declare const client: import('@aws-sdk/client-dynamodb').DynamoDB"],
  ['src/stores/mysql', "declare const pool: import('mysql2/promise').Pool"],
  ['src/stores/postgres', "declare const pool: import('pg').Pool"],
  ['src/stores/redis/client', "declare const client: import('redis').RedisClientType"],
  ['src/stores/sqlite/', "declare const db: import('better-sqlite3').Database"],
  ['src/delivery', 'declare const request: Request'],
  ['src/event.ts', "declare const event: import('hookgate').WebhookEvent"],
  [
    'src/management/',
    "declare const handle: (event: import('hookgate').WebhookEvent) => Promise<void>, since: Date, token: string, options: import('hookgate/management').RecoverOptions",
  ],
  ['src/joining', 'declare function commitOrFail(tx: unknown, ...claim: readonly unknown[]): Promise<void>'],
  ['src/inbox/', "declare const pool: import('pg').Pool, auth: import('hookgate').Authenticator"],
  ['src/handoff/', "declare const event: import('hookgate').WebhookEvent"],
  [
    'src/listeners',
    "declare const app: import('express').Express, handler: import('express').RequestHandler",
  ],
  ['src/testing/', "import { expect, test } from 'vitest'\ndeclare const app: import('hono').Hono"],
  ['src/testing/event-store-suite', "declare const store: import('hookgate').EventStore"],
  ['src/schemes/qstash', 'declare const currentKey: string, nextKey: string'],
]

export function grantedIn(file: string): string {
  return GRANTED_IN.filter(([path]) => file.startsWith(path))
    .map(([, declarations]) => declarations)
    .join('\n')
}
