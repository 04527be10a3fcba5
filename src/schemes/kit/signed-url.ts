import { LONGEST_URL } from '../../delivery.ts'
import { ListenerConfigError } from '../../errors.ts'
import { bytesToHash, type UnreadBytes } from '../../lib/unread.ts'
import type { Content, Scheme, SignedBytes } from '../../scheme.ts'
import type { UrlText } from './signed-text.ts'

/** A URL, split as text. Nothing is normalised, because senders sign the exact text. */
export interface UrlParts {
  /** Everything before the query. */
  readonly base: string
  /** With its question mark. Empty if there is none. */
  readonly query: string
  /** With its `#`. Empty if there is none. */
  readonly fragment: string
}

/** The URL that a sender signed, or why it is unknown. `isOpen`: its query is the request's own. */
type SignedUrl = (UrlParts & { readonly isOpen: boolean }) | { readonly problem: string }

const PARTS = /^([^?#]*)(\?[^#]*)?(#.*)?$/s
/** A request's URL: without a fragment, which is never sent, and without characters that no URL has. */
const REQUESTED = /^([^?#]*)(\?[!"$-~]*)?$/s
const ENCODED_MARK = /%3f/i

export function urlParts(url: string): UrlParts {
  const [, base = '', query = '', fragment = ''] = PARTS.exec(url) ?? []
  return { base, query, fragment }
}

export const urlText = ({ base, query, fragment }: UrlParts): string => base + query + fragment

/** `url`, with the query of `other` if it has none of its own. */
export function withQueryOf(url: string, other: string): string {
  const parts = urlParts(url)
  return parts.query === '' ? urlText({ ...parts, query: urlParts(other).query }) : url
}

/** `url` without its fragment, whose query has one parameter of this name, and the others as they are. */
export function withParameter(url: string, name: string, value: string): string {
  const { base, query } = urlParts(url)
  const pairs = query.slice(1).split('&')
  const others = pairs.filter((pair) => pair !== '' && !new URLSearchParams(pair).has(name))
  const own = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  return `${base}?${[...others, own].join('&')}`
}

/** Where a signed request is sent: to the target, with the query that has the signature or what is signed, if one does. */
export function addressOf(target: string, { url }: { readonly url?: string | undefined }): string {
  return url === undefined ? target : urlParts(target).base + urlParts(url).query
}

const NO_QUERY = 'the URL of the request is over 8,192 characters, or is not one'
const ENCODED_QUERY =
  'the path of the request has an encoded question mark, and that of publicUrl has none: write ? before the query, not %3F'
export const ANOTHER_QUERY = 'the request has another query than publicUrl, or none'
export const QUERY_NOT_DIVIDED =
  'the query of the request is not in publicUrl, and what is signed does not show where it ends: put the query into publicUrl'

/** Why the URL of a request cannot be the one that was signed. */
export const URL_PROBLEMS: readonly string[] = [NO_QUERY, ENCODED_QUERY, ANOTHER_QUERY, QUERY_NOT_DIVIDED]

/** Reads a request's query exactly as received, question mark included. Empty if there is none. Otherwise says why it is unknown. */
export function requestedQuery(url: string, publicUrl: string): string | { readonly problem: string } {
  const found = url.length > LONGEST_URL ? null : REQUESTED.exec(url)
  if (found === null) return { problem: NO_QUERY }
  const [, path = '', query = ''] = found
  // A router that decodes the path would read an encoded mark as the start of an unsigned query.
  const isEncoded = ENCODED_MARK.test(path) && !ENCODED_MARK.test(urlParts(publicUrl).base)
  return isEncoded ? { problem: ENCODED_QUERY } : query
}

/**
 * Reads the URL that a sender signed. Origin and path are those of `publicUrl`. So is the query, if `publicUrl` has one: the
 * request must then have the same. Otherwise it is the request's. A host that does not know the request's URL has only
 * `publicUrl`.
 */
export function urlReader(publicUrl: string): (request: { readonly url?: string | undefined }) => SignedUrl {
  const configured = urlParts(publicUrl)
  const closed = { ...configured, isOpen: false }
  return ({ url }) => {
    if (url === undefined) return closed
    const query = requestedQuery(url, publicUrl)
    if (typeof query === 'object') return query
    if (configured.query !== '') return hasQuery(publicUrl, query) ? closed : { problem: ANOTHER_QUERY }
    return query === '' ? closed : { ...configured, query, isOpen: true }
  }
}

/** Whether a request's query is that of `publicUrl`, as configured or as a web runtime reports it. */
export function hasQuery(publicUrl: string, query: string): boolean {
  return (
    query === urlParts(publicUrl).query || (URL.canParse(publicUrl) && query === new URL(publicUrl).search)
  )
}

/**
 * What marks the end of an open query in a template's text. `text`: the template itself. `json`: a body that is an object or
 * a list, because neither begins or ends inside another. `nothing`: requests with different queries may have the same text.
 */
type QueryDivider = 'text' | 'json' | 'nothing'

/** Texts and values that cannot begin or end in the middle of a URL. */
const FIXED = '(?:[^{}]|\\{(?:method|timestamp)\\})*'
const BEFORE = /* @__PURE__ */ new RegExp(`^${FIXED}$`)
const BEFORE_WITH_BODY = /* @__PURE__ */ new RegExp(`^${FIXED}\\{body\\}${FIXED}$`)
/** The end, or a character that is not in a query. */
const DIVIDED = /^$|^[^!-~]|^#/
const AFTER_WITH_BODY = /* @__PURE__ */ new RegExp(`^[^{}]*\\{body\\}${FIXED}$`)

function queryDivider(template: string, content: readonly Content[] = ['json']): QueryDivider {
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

/**
 * Reads the `{url}` of a template. Undefined if the request's query cannot be told from the rest of the text.
 *
 * @throws ListenerConfigError for a path that the sender would sign as a query.
 */
export function signedUrlText(
  { signs, content, signedUrl = (url) => url }: Pick<Scheme, 'signs' | 'content' | 'signedUrl'>,
  publicUrl: string,
): UrlText {
  const read = urlReader(publicUrl)
  const fixed = signedUrl(publicUrl)
  if (signedUrl(urlParts(publicUrl).base).includes('?')) {
    throw new ListenerConfigError(
      'publicUrl',
      'must have no %3F in its path, because the sender signs it as ?',
    )
  }
  const divider = typeof signs === 'string' ? queryDivider(signs, content) : 'nothing'
  return (values) => {
    const url = read(values.delivery)
    if ('problem' in url) return values.refuse?.(url.problem)
    if (!url.isOpen) return fixed
    if (divider === 'nothing' || (divider === 'json' && !looksLikeJson(values.bytes))) {
      return values.refuse?.(QUERY_NOT_DIVIDED)
    }
    const text = signedUrl(urlText(url))
    return keepsQuery(url.query, text) ? text : values.refuse?.(QUERY_NOT_DIVIDED)
  }
}

/** The signed bytes of a row's own function, which is compiled once for each listener. */
/* @__NO_SIDE_EFFECTS__ */
export function signedBytesFor(compile: (publicUrl: string) => SignedBytes): SignedBytes {
  const signs: SignedBytes = (request) => compile(request.publicUrl)(request)
  return Object.assign(signs, { forUrl: compile })
}

/** Whether a query has the same parameters in the URL that a scheme has converted. Decoding a `%26` would add one. */
function keepsQuery(query: string, converted: string): boolean {
  const kept = REQUESTED.exec(converted)?.[2]
  if (kept === undefined) return false
  return kept === query || `${new URLSearchParams(kept)}` === `${new URLSearchParams(query)}`
}

const BLANK = [0x20, 0x09, 0x0a, 0x0d]
const [BRACE, BRACKET] = [0x7b, 0x5b]

/** How far the beginning of a body is looked for, in bytes. No sender puts so many blanks before it. */
const MOST_BLANKS = 1024

/** Whether a body can be an object or a list in JSON. */
function looksLikeJson(body: UnreadBytes): boolean {
  const start = bytesToHash(body).subarray(0, MOST_BLANKS)
  const first = start.find((byte) => !BLANK.includes(byte))
  return first === BRACE || first === BRACKET
}
