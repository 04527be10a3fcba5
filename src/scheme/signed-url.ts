import type { Content } from './scheme.ts'

/** A URL, split as text. Nothing is normalised, because senders sign the exact text. */
export interface UrlParts {
  /** Everything before the query. */
  readonly base: string
  /** With its question mark. Empty if there is none. */
  readonly query: string
  /** With its `#`. Empty if there is none. */
  readonly fragment: string
}

/** The URL that a sender signed. `isOpen` if its query is the request's own. Or why it cannot be told. */
export type SignedUrl = (UrlParts & { readonly isOpen: boolean }) | { readonly problem: string }

const LONGEST_URL = 8192
const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s
/** Of a request. A fragment is never sent, and other characters are not part of a URL. */
const QUERY = /^[^?#]*(\?[!"$-~]*)?$/s

export function urlParts(url: string): UrlParts {
  const [, base = '', query = '', fragment = ''] = PARTS.exec(url) ?? []
  return { base, query, fragment }
}

export const urlText = ({ base, query, fragment }: UrlParts): string => base + query + fragment

/** The URL that a sender signs when it calls `url`: `publicUrl`, with the query of `url` if it has none of its own. */
export function calledUrl(publicUrl: string, url: string): string {
  const parts = urlParts(publicUrl)
  return parts.query === '' ? urlText({ ...parts, query: urlParts(url).query }) : publicUrl
}

/** The query of a request, exactly as received, with its question mark. Empty if it has none. Undefined if it is not one. */
export function rawQuery(url: string): string | undefined {
  const found = url.length > LONGEST_URL ? undefined : QUERY.exec(url)
  return found ? (found[1] ?? '') : undefined
}

export const NO_QUERY = 'the URL of the request is over 8,192 characters, or is not one'
export const ANOTHER_QUERY = 'the request has another query than publicUrl'
export const QUERY_NOT_DIVIDED =
  'the query of the request is not in publicUrl, and what is signed does not show where it ends: put the query into publicUrl'

/**
 * Reads the URL that a sender signed. Origin and path are those of `publicUrl`. So is the query, if `publicUrl` has one: the
 * request must then have the same, or none, because a proxy may have dropped it. Otherwise it is the request's. A host that does
 * not know the request's URL has only `publicUrl`.
 */
export function urlReader(publicUrl: string): (request: { readonly url?: string | undefined }) => SignedUrl {
  const configured = urlParts(publicUrl)
  const closed = { ...configured, isOpen: false }
  const isConfigured = queryMatcher([publicUrl])
  return ({ url }) => {
    if (url === undefined) return closed
    const query = rawQuery(url)
    if (query === undefined) return { problem: NO_QUERY }
    if (configured.query !== '') return isConfigured(query) ? closed : { problem: ANOTHER_QUERY }
    return query === '' ? closed : { ...configured, query, isOpen: true }
  }
}

/** Whether a request's query is that of one of these URLs, as configured or as a web runtime reports it, or empty. */
export function queryMatcher(urls: readonly string[]): (query: string) => boolean {
  let queries: ReadonlySet<string> | undefined
  return (query) => {
    if (query === '' || query === '?') return true
    queries ??= new Set(urls.flatMap((url) => [urlParts(url).query, parsedQuery(url)]))
    return queries.has(query)
  }
}

const parsedQuery = (url: string) => (URL.canParse(url) ? new URL(url).search : '')

/**
 * What shows where an open query ends in the text of a template. `nothing`: its text could be that of a request with another
 * query. `json`: a body that is an object or a list, because neither begins or ends inside another.
 */
export type QueryDivider = 'text' | 'json' | 'nothing'

/** Texts and values that cannot begin or end in the middle of a URL. */
const FIXED = '(?:[^{}]|\\{(?:method|timestamp)\\})*'
const BEFORE = new RegExp(`^${FIXED}$`)
const BEFORE_WITH_BODY = new RegExp(`^${FIXED}\\{body\\}${FIXED}$`)
/** The end, or a character that is not in a query. */
const DIVIDED = /^$|^[^!-~]|^#/
const AFTER_WITH_BODY = new RegExp(`^[^{}]*\\{body\\}${FIXED}$`)

export function queryDivider(template: string, content: readonly Content[] = ['json']): QueryDivider {
  const [before = '', after = '', another] = template.split('{url}')
  const isJson = content.every((kind) => kind === 'json')
  const needsJson = !DIVIDED.test(after) || !BEFORE.test(before)
  const isDivided =
    another === undefined &&
    (BEFORE.test(before) || BEFORE_WITH_BODY.test(before)) &&
    (DIVIDED.test(after) || AFTER_WITH_BODY.test(after))
  if (!isDivided || (needsJson && !isJson)) return 'nothing'
  return needsJson ? 'json' : 'text'
}

/** Whether a query has the same parameters in the URL that a scheme has converted. Decoding a `%26` would add one. */
export function keepsQuery(query: string, converted: string): boolean {
  const kept = QUERY.exec(converted)?.[1]
  if (kept === undefined) return false
  return kept === query || `${new URLSearchParams(kept)}` === `${new URLSearchParams(query)}`
}

const BLANK = [0x20, 0x09, 0x0a, 0x0d]
const [BRACE, BRACKET] = [0x7b, 0x5b]

/** Whether a body can be an object or a list in JSON. */
export function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => !BLANK.includes(byte))
  return first === BRACE || first === BRACKET
}
