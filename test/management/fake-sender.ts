import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ListenerOptions } from '../../src/index.ts'
import type { ManagementApi } from '../../src/management/index.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { signAs } from '../../src/testing/index.ts'
import { type FakeServer, sendJson, startFake } from './fake-server.ts'

export const TOKEN = 'the-token-of-this-account'
export const FOREIGN_TOKEN = 'the-token-of-another-account'
export const URL_HERE = 'https://shop.example/webhooks'

/** An event that a sender has made. */
export interface Sent {
  readonly number: number
  readonly id: string
  readonly type: string
  readonly at: Date
  delivered: boolean
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** The place of the next page. Undefined on the last. */
  readonly next: string | undefined
}

/** A request for a list. */
export interface Asked {
  /** The parameters of the query, or the body's. */
  readonly query: URLSearchParams
  readonly body: string
}

/** What is known of a sender: its answers, and its deliveries. The members are those of its published description. */
export interface FakeForm {
  readonly api: ManagementApi
  readonly scheme: { readonly scheme: SenderScheme }
  readonly auth: ListenerOptions['auth']
  readonly secret: string
  /** If the URL is signed. */
  readonly publicUrl?: string
  readonly types: readonly [string, string]
  readonly eventId?: (number: number) => string
  /** An endpoint, as the API has it. With `change`, one that differs. */
  readonly endpoint: (change: EndpointChange) => object | readonly object[]
  /** The body that is delivered, which may differ from what the API has. */
  readonly payload?: (sent: Sent) => object
  readonly headers?: (sent: Sent) => { readonly [name: string]: string }
  readonly endpointsPath: string
  readonly envelope: (
    page: Page<object>,
    of: 'endpoints' | 'events',
  ) => { readonly json: object; readonly link?: string }
  readonly eventsPath?: string
  readonly event?: (sent: Sent) => object
  /** The place of the page that is asked for. */
  readonly place: (asked: Asked) => string | undefined
  /** The oldest time that is asked for. */
  readonly since?: (asked: Asked) => string | undefined
  /** What the path of one event is, and what it has. */
  readonly detail?: { readonly path: RegExp; readonly json: (sent: Sent) => object }
  /** What shows the endpoint's secret, if the list does not: by its path, and by what its body says. */
  readonly shows?: {
    readonly path: string
    readonly says?: string
    readonly json: (secret: string | null) => object
  }
  /** By its path. */
  readonly resend?: RegExp
  /** What the answer to it has. */
  readonly resent?: (sent: Sent) => object
  /** Which places an endless list has. */
  readonly byId?: true
}

export interface EndpointChange {
  readonly url?: string
  readonly disabled?: boolean
  readonly types?: readonly string[]
  /** Null: it has none. */
  readonly secret?: string | null
  /** Members that replace the others. */
  readonly has?: object
}

/** A fake of a sender on loopback: one account with one endpoint, and its events, newest first. */
export class FakeSender {
  readonly form: FakeForm
  readonly sent: Sent[] = []
  endpoints: EndpointChange[] = [{}]
  pageSize = 100
  server!: FakeServer // started by `start`
  readonly resent: string[] = []

  constructor(form: FakeForm) {
    this.form = form
  }

  static async start(form: FakeForm): Promise<FakeSender> {
    const fake = new FakeSender(form)
    fake.server = await startFake(form.api.baseUrl, (...given) => fake.#answer(...given))
    return fake
  }

  create(type: string, at: Date): Sent {
    const number = this.sent.length + 1
    const sent: Sent = { number, id: this.form.eventId?.(number) ?? '', type, at, delivered: false }
    this.sent.push(sent)
    return sent
  }

  async deliver(sent: Sent, handle: (request: Request) => Promise<Response>): Promise<number> {
    const { scheme, secret, payload, headers, publicUrl } = this.form
    const body = JSON.stringify(payload?.(sent))
    const signed = await signAs(scheme, { secret, body, eventId: sent.id, ...(publicUrl && { publicUrl }) })
    const { status } = await handle(
      new Request(URL_HERE, { method: 'POST', headers: { ...signed.headers, ...headers?.(sent) }, body }),
    )
    if (status < 300) sent.delivered = true
    return status
  }

  async #answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { api, endpoint, endpointsPath, event, eventsPath, detail, resend, resent, shows, since } =
      this.form
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    // The name of a scheme may be in small letters: RFC 9110, section 11.1.
    if (`${request.headers[api.token.header]}`.replace(/^bearer /, 'Bearer ') !== api.token.before + TOKEN)
      return sendJson(response, 401, { message: `${request.headers[api.token.header]} is no key` })
    const { method = '' } = request
    const path = decodeURIComponent(url.pathname)
    const asked = { query: url.searchParams, body: Buffer.concat(chunks).toString() }
    if (path === shows?.path && asked.body.includes(shows.says ?? '')) {
      const [{ secret = this.form.secret } = {}] = this.endpoints
      return sendJson(response, 200, shows.json(secret))
    }
    if (path === endpointsPath)
      return this.#page(
        response,
        asked,
        'endpoints',
        this.endpoints.flatMap((change) =>
          [endpoint(change)].flat().map((one) => ({ ...one, ...change.has })),
        ),
      )
    if (path === eventsPath && event) {
      const from = Date.parse(since?.(asked) ?? '1970-01-01T00:00:00Z')
      const found = this.sent.filter(({ at }) => at.getTime() >= from)
      found.sort((one, other) => other.at.getTime() - one.at.getTime())
      return this.#page(response, asked, 'events', found.map(event))
    }
    const asOne = detail?.path.exec(path)?.[1] ?? (method === 'POST' ? resend?.exec(path)?.[1] : undefined)
    const one = this.sent.find(({ id, number }) => id === asOne || `${number}` === asOne)
    if (one === undefined) return sendJson(response, 404, { message: 'no such thing' })
    if (method === 'POST') this.resent.push(one.id)
    return sendJson(
      response,
      method === 'POST' ? 202 : 200,
      (method === 'POST' ? resent : detail?.json)?.(one) ?? {},
    )
  }

  #page(response: ServerResponse, asked: Asked, of: 'endpoints' | 'events', all: readonly object[]): void {
    const { envelope, place, byId } = this.form
    const at = place(asked)
    const idOf = (item: object | undefined) => `${Reflect.get(item ?? {}, 'id')}`
    const from = at === undefined ? 0 : byId ? all.findIndex((item) => idOf(item) === at) + 1 : Number(at)
    const to = from + this.pageSize
    const next = to >= all.length ? undefined : byId ? idOf(all[to - 1]) : `${to}`
    const { json, link } = envelope({ items: all.slice(from, to), next }, of)
    sendJson(response, 200, json, link === undefined ? {} : { link })
  }
}
