import { decodeUtf8 } from '../lib/bytes.ts'
import { type Clock, timeOf, withDeadline } from '../lib/clock.ts'
import { type Json, parseJson } from '../lib/json.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { textOf } from '../lib/member-of.ts'
import { readAtMost } from '../lib/read-stream.ts'
import type { Call, Listing, ManagementApi, Texts } from './api.ts'
import { ManagementError } from './errors.ts'
import { partAt, partsOf, textAt, valueAt } from './json-parts.ts'

/**
 * The part of `fetch` that is used. Replace it to add a proxy or a private CA. It must follow no redirect.
 *
 * @example
 * ```ts
 * const logged: ManagementFetch = async (url, init) => {
 *   console.info(init.method, url)
 *   return await fetch(url, init)
 * }
 * ```
 */
export type ManagementFetch = (
  url: string,
  init: {
    readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
    readonly redirect: 'manual'
    readonly headers: Record<string, string>
    readonly body?: string
    readonly signal: AbortSignal
  },
) => Promise<Response>

export interface ClientOptions {
  readonly api: ManagementApi
  /** A function is called for each request: the tokens of a GitHub App last ten minutes. */
  readonly token: string | (() => MaybePromise<string>)
  readonly fetch?: ManagementFetch | undefined
  readonly clock: Clock
  /** For tests. */
  readonly pause?: (milliseconds: number) => Promise<unknown>
  readonly timeoutMs?: number
}

/** The payload of GitHub's largest event has 25 MB. */
const MOST_BYTES = 33_554_432
const MOST_PAGES = 10_000
/** Of a cursor, or of the ID that a page begins after. */
const LONGEST_PLACE = 8192
/** Of a value in a path. */
const LONGEST_SEGMENT = 1024
const TIMEOUT_MS = 30_000
const MOST_TRIES = 5
/** The longest pause that a sender may ask for. GitHub's limits may last an hour. */
const LONGEST_PAUSE_MS = 120_000
/** Each pause is at least twice as long as the one before. */
const FIRST_PAUSE_MS = 1000
/** How much of an answer is read that says that it was asked too often. */
const MOST_SAID_BYTES = 65_536
/** What fits in a header. `fetch` quotes any other token in its error. */
const TOKEN = /^[\x21-\x7e]+$/

/** What came of one request. */
type Exchanged =
  | { readonly response: Response; readonly bytes: Uint8Array }
  | { readonly broken: ManagementError }

/** An answer whose status is 2xx. */
interface Answer {
  /** JSON. Empty if there is none. */
  readonly json: Uint8Array
  readonly link: string
}

/** Calls the API of one sender. Nothing that it answers leads anywhere else, and no error has the token or a value of an answer. */
export class Client {
  readonly #options: ClientOptions
  /** Why no further request is sent. */
  #final: ManagementError | undefined

  constructor(options: ClientOptions) {
    this.#options = options
  }

  /** Whether the sender has refused the token, asked to wait for long, or cannot be reached: every other call rejects at once. */
  get isOver(): boolean {
    return this.#final !== undefined
  }

  #ends(error: ManagementError): ManagementError {
    this.#final = error
    return error
  }

  pause(milliseconds: number): Promise<unknown> {
    const { pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)) } = this.#options
    return pause(milliseconds)
  }

  /** The items of all pages, as they are written. */
  async *list(listing: Listing, values: Texts = {}, query: Texts = {}): AsyncGenerator<Uint8Array> {
    const parameters = new URLSearchParams({ ...textsOf(listing.query, values), ...query })
    const seen = new Set<string>()
    for (let next: string | undefined = ''; next !== undefined; ) {
      if (seen.has(next) || seen.size === MOST_PAGES)
        throw this.#wrong(listing, 'goes on with pages without an end')
      seen.add(next)
      const answer = await this.#send(listing, values, parameters)
      const found = listing.items === 'only' ? answer.json : partAt(answer.json, listing.items)
      if (found?.[0] !== (listing.items === 'only' ? 0x7b : 0x5b)) throw this.#wrong(listing, 'has no list')
      let last: Uint8Array | undefined = listing.items === 'only' ? found : undefined
      if (last) yield last
      else
        for (const [, item] of partsOf(found)) {
          last = item
          yield item
        }
      next = this.#next(listing, answer, last)
      if (next === undefined) return
      if (next.length > LONGEST_PLACE) throw this.#wrong(listing, 'has its next page at too long a place')
      parameters.set(parameterOf(listing), next)
    }
  }

  /** The answer to one call, as it is written. Empty if it has no JSON. */
  async call(call: Call, values: Texts): Promise<Uint8Array> {
    return (await this.#send(call, values, new URLSearchParams())).json
  }

  /** The value of the parameter that asks for the next page. Only this text is taken from an answer: a link to elsewhere is not followed. */
  #next(listing: Listing, { json, link }: Answer, last: Uint8Array = json): string | undefined {
    const { next } = listing
    if (next === undefined) return undefined
    if ('parameter' in next) {
      const [place, ends] =
        'lastId' in next
          ? [textAt(last, next.lastId), { at: next.more, is: false }]
          : [textAt(json, next.cursor), next.ends]
      if (ends === undefined) return place || undefined
      const end = valueAt(json, ends.at)
      if (end === ends.is) return undefined
      if (end === !ends.is && place !== '') return place
      throw this.#wrong(listing, 'does not say whether and how it goes on') // or its rest would be lost unnoticed
    }
    const target =
      next.at === undefined ? /<([^<>]*)>\s*;\s*rel="next"/.exec(link)?.[1] : textAt(json, next.at)
    if (!target) return undefined
    const { baseUrl } = this.#options.api
    if (!URL.canParse(target, baseUrl) || new URL(target, baseUrl).origin !== new URL(baseUrl).origin)
      throw this.#wrong(listing, 'has its next page elsewhere')
    const value = new URL(target, baseUrl).searchParams.get(next.linked)
    if (value === null) throw this.#wrong(listing, `has a next page without ${next.linked}`)
    return value
  }

  async #send(call: Call, values: Texts, parameters: URLSearchParams): Promise<Answer> {
    if (this.#final) throw this.#final
    const { api } = this.#options
    const body =
      call.body === undefined
        ? undefined
        : JSON.stringify(withValues(call.body, { ...values, ...Object.fromEntries(parameters) }))
    const query = body === undefined && parameters.size > 0 ? `?${parameters}` : ''
    const url = api.baseUrl + filled(call.path, { ...api.parameters, ...values }) + query
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#exchange(call, url, body)
      const pauseMs = this.#pauseAfter(answer, call, FIRST_PAUSE_MS * 2 ** (tries - 1))
      if (pauseMs !== undefined && pauseMs <= LONGEST_PAUSE_MS && tries < MOST_TRIES) {
        await this.pause(pauseMs)
        continue
      }
      if ('broken' in answer) throw isRead(call) ? this.#ends(answer.broken) : answer.broken
      const { status, headers } = answer.response
      if (pauseMs !== undefined && status < 500)
        throw this.#ends(this.#wrong(call, `asks to wait ${Math.ceil(pauseMs / 1000)} s: run it again then`))
      if (status === 401 || status === 403) {
        const refused = new ManagementError(
          'ERR_API_TOKEN',
          `${api.sender} refuses the token (${status}): ${this.#needs(call)}`,
        )
        throw status === 401 ? this.#ends(refused) : refused // a 403 may be of this call alone
      }
      if (status === 404)
        throw this.#wrong(call, `has status 404, which may be the token's fault: ${this.#needs(call)}`)
      if (!answer.response.ok) throw this.#wrong(call, `has status ${status}`)
      const { bytes } = answer
      if (bytes.length > 0 && 'problem' in parseJson(bytes)) throw this.#wrong(call, 'is no JSON')
      return { json: bytes, link: headers.get('link') ?? '' }
    }
  }

  /**
   * How long to wait before the same request: as long as the sender says, and at least so long. Undefined if it is final. A request that
   * changes something is not repeated after a failure, because it may have been heard: one that `acts`, after no 5xx at all.
   */
  #pauseAfter(answer: Exchanged, call: Call, leastMs: number): number | undefined {
    if ('broken' in answer) return isRead(call) ? leastMs : undefined
    const { status } = answer.response
    if (call.acts && status >= 500) return undefined
    const askedMs = pauseOf(answer, this.#options.api.tooOften, timeOf(this.#options.clock))
    const isPassing = status === 429 || (status >= 500 && isRead(call))
    return askedMs === undefined && !isPassing ? undefined : Math.max(askedMs ?? 0, leastMs)
  }

  /** One request. Reads no body of a refusal, but for the start of one that may say that it was asked too often. */
  async #exchange(call: Call, url: string, body: string | undefined): Promise<Exchanged> {
    const { api, fetch = platformFetch } = this.#options
    const timeoutMs = this.#timeoutMs
    const { header, before } = api.token
    const headers = {
      accept: 'application/json',
      'user-agent': 'hookgate',
      ...api.headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      [header]: before + (await this.#token()),
    }
    const abort = new AbortController()
    const { method = 'GET' } = call
    const exchange = async () => {
      const init = { method, redirect: 'manual', headers, signal: abort.signal } as const
      const response = await fetch(url, body === undefined ? init : { ...init, body })
      const isLimit = response.status === 403 || response.status === 429
      if (!response.ok && !(isLimit && api.tooOften)) return { response, bytes: new Uint8Array() }
      const bytes = await readAtMost(response.body?.getReader(), isLimit ? MOST_SAID_BYTES : MOST_BYTES)
      if (bytes === undefined && !isLimit) throw this.#wrong(call, `is over ${MOST_BYTES} bytes`)
      return { response, bytes: bytes ?? new Uint8Array() }
    }
    const late = this.#wrong(call, `did not come within ${timeoutMs} ms`)
    try {
      return await withDeadline(exchange(), timeoutMs, () => late)
    } catch (error) {
      if (error === late) return { broken: late }
      if (error instanceof ManagementError) throw error
      return { broken: this.#wrong(call, `did not come${codeIn(error)}`) }
    } finally {
      abort.abort() // a host may keep sending
    }
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? TIMEOUT_MS
  }

  async #token(): Promise<string> {
    const { api, token } = this.#options
    const refused = (problem: string) =>
      new ManagementError('ERR_API_TOKEN', `the token for ${api.sender} ${problem}`)
    const late = refused(`could not be made: token() took longer than ${this.#timeoutMs} ms`)
    let text: unknown = token
    try {
      if (typeof token === 'function')
        text = await withDeadline(Promise.resolve(token()), this.#timeoutMs, () => late)
    } catch (error) {
      throw error === late ? late : refused('could not be made: token() threw') // its error may quote what it was made of
    }
    const bare = api.token.before === '' && typeof text === 'string' ? text.replace(/^Bearer /, '') : text
    if (typeof text === 'string' && typeof bare === 'string' && TOKEN.test(bare)) return text
    throw refused('is empty, or has white space or other characters that no token has')
  }

  #needs({ method }: Call): string {
    const { reads, redelivers } = this.#options.api.token
    return `it needs ${(method === 'POST' ? redelivers : undefined) ?? reads}`
  }

  /** Names the call by its template: values may be another's. */
  #wrong({ method = 'GET', path }: Call, problem: string): ManagementError {
    const { sender } = this.#options.api
    return new ManagementError('ERR_API_ANSWER', `${sender}: the answer to ${method} ${path} ${problem}`)
  }
}

/** Looks `fetch` up for each call, because tests and platforms replace it. */
const platformFetch: ManagementFetch = (...request) => globalThis.fetch(...request)

function parameterOf({ next }: Listing): string {
  if (next === undefined) return ''
  return 'linked' in next ? next.linked : next.parameter
}

/** Each value is one segment, which leaves its place by no dots, and by no encoding of them. */
function filled(path: string, values: Texts): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    if (/^\.{0,2}$/.test(value) || value.length > LONGEST_SEGMENT || !value.isWellFormed())
      throw new ManagementError('ERR_API_ANSWER', `there is no ${name} for ${path}`)
    return encodeURIComponent(value)
  })
}

const textsOf = (query: Texts, values: Texts): Texts =>
  Object.fromEntries(Object.entries(query).map(([name, text]) => [name, substituted(text, values) ?? text]))

const substituted = (text: string, values: Texts) => {
  const name = /^\{(\w+)\}$/.exec(text)?.[1]
  return name === undefined ? text : values[name]
}

const numbered = (text: string, values: Texts) => {
  const name = /^\{(\w+):number\}$/.exec(text)?.[1]
  return name === undefined ? undefined : Number(values[name])
}

/** The same JSON, with values in the place of `{name}`. What has no value is left out. */
function withValues(json: Json, values: Texts): Json | undefined {
  if (typeof json === 'string') return numbered(json, values) ?? substituted(json, values)
  if (Array.isArray(json)) return json.flatMap((item) => withValues(item, values) ?? [])
  if (typeof json !== 'object' || json === null) return json
  const members = Object.entries(json).flatMap(([name, value]) => {
    const known = withValues(value, values)
    return known === undefined ? [] : [[name, known] as const]
  })
  return Object.fromEntries(members)
}

/** Whether it changes nothing. */
const isRead = ({ method = 'GET', body, acts }: Call) =>
  method === 'GET' || (method === 'POST' && body !== undefined && !acts)

/** How long the sender says to wait. Undefined if it says nothing of that. */
function pauseOf(
  { response: { status, headers }, bytes }: Extract<Exchanged, { response: Response }>,
  tooOften: ManagementApi['tooOften'],
  now: number,
): number | undefined {
  if (status !== 429 && status !== 403 && status !== 503) return undefined
  const after = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(after)) return Number(after) * 1000
  const reset = headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) : 0
  const at = reset > 0 ? reset * 1000 : Date.parse(after)
  if (!Number.isNaN(at)) return Math.max(at - now, 0)
  const said = tooOften && (decodeUtf8(bytes) ?? '').toLowerCase()
  return tooOften && said?.includes(tooOften.says) ? tooOften.seconds * 1000 : undefined
}

/** E.g. ` (ECONNREFUSED)`. Nothing else of a foreign error is shown: it may quote a header. */
function codeIn(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = textOf(cause, 'code') ?? textOf(error, 'code') ?? ''
  return /^[A-Z][A-Z_0-9]+$/.test(code) ? ` (${code})` : ''
}
