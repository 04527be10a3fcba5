import type { Delivery } from '../delivery.ts'
import type { ExpectedSender } from './expected-sender.ts'
import type { Guess } from './guess.ts'

const MOST_URLS = 150
const LONGEST_VALUE = 2048

const URL_PARTS = /^(https?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?/i

/**
 * The URLs that the sender may have signed. What the request and its proxies say of the URL is only a guess: a stranger can
 * write it, but cannot sign it.
 */
export function urlGuesses(
  delivery: Delivery,
  { signedUrl: publicUrl, name }: ExpectedSender,
): readonly Guess[] {
  if (publicUrl === undefined) return []
  const configured = partsOf(publicUrl)
  const seen = seenBy(delivery)
  const protocols = unique([configured.protocol, seen.protocol, 'https://', 'http://'])
  const hosts = unique(
    [configured.host, ...seen.hosts].filter((host) => host !== '').flatMap(withAndWithoutPort),
  )
  const paths = unique([configured.path, ...seen.paths].flatMap(withAndWithoutSlash))
  const queries = unique([configured.query, seen.query, ''])
  const urls = protocols.flatMap((protocol) =>
    hosts.flatMap((host) =>
      paths.flatMap((path) => queries.map((query) => ({ protocol, host, path, query }))),
    ),
  )
  const requested = queryOf(delivery)
  const tried = { ...configured, query: configured.query || requested }
  return urls
    .map((parts) => ({ parts, changes: differences(parts, tried) }))
    .filter(({ changes }) => changes > 0 || configured.query !== requested)
    .sort((one, other) => one.changes - other.changes)
    .slice(0, MOST_URLS)
    .map(({ parts }) => {
      const signed = PARTS.map((part) => parts[part]).join('')
      const wrongUrl = `${name} signed ${signed}; publicUrl is ${publicUrl}: set publicUrl to the URL as ${name} has it`
      const isOfQuery = differences({ ...parts, query: '' }, { ...configured, query: '' }) === 0
      if (isOfQuery && parts.query === configured.query && delivery.url !== undefined) {
        return { says: [`${name} signed publicUrl; ${OTHER_QUERY}`], publicUrl: signed }
      }
      const isOfRequest = isOfQuery && parts.query === requested
      const change = configured.query === '' ? NOT_DIVIDED : CHANGES
      return { says: [isOfRequest ? `${wrongUrl}; ${change}` : wrongUrl], publicUrl: signed }
    })
}

const OTHER_QUERY =
  'the request has another query, or none: find what changes it before this listener, such as a rewrite'
const CHANGES = 'if its query changes, leave the query out of publicUrl'
const NOT_DIVIDED =
  'nothing in the signed text shows where its query ends, so if the query changes, make a listener for each URL in a lookup'

/** The query of the request itself, whatever proxies say. */
function queryOf({ url = '' }: Delivery): string {
  return url.length > LONGEST_VALUE ? '' : (/\?[^#]*/.exec(url)?.[0] ?? '')
}

const PARTS = ['protocol', 'host', 'path', 'query'] as const
type Parts = { readonly [Part in (typeof PARTS)[number]]: string }

/** As texts: nothing is normalised, because the sender signs the exact text. */
function partsOf(url: string): Parts {
  const [, protocol = '', host = '', path = '', query = ''] = URL_PARTS.exec(url) ?? []
  return { protocol, host, path, query }
}

/** What the request tells of its URL, and the proxies before it. */
function seenBy(delivery: Delivery) {
  const read = (name: string) => {
    const value = delivery.header(name)
    const [first = ''] = (typeof value === 'string' ? value : (value?.[0] ?? '')).split(',', 1)
    return first.length > LONGEST_VALUE ? '' : first.trim()
  }
  const { url = '' } = delivery
  const requested = url.length > LONGEST_VALUE ? '' : url
  const { host, path, query } = partsOf(/^https?:/i.test(requested) ? requested : `http://${requested}`)
  const original = ['x-original-url', 'x-original-uri', 'x-forwarded-uri'].map((name) =>
    read(name).replace(/^https?:\/\/[^/]*/i, ''),
  )
  const forwardedPort = read('x-forwarded-port')
  const forwardedHost = read('x-forwarded-host') || (/host="?([^";]+)/i.exec(read('forwarded'))?.[1] ?? '')
  const protocol = read('x-forwarded-proto') || (/proto="?([a-z]+)/i.exec(read('forwarded'))?.[1] ?? '')
  return {
    protocol: /^https?$/i.test(protocol) ? `${protocol.toLowerCase()}://` : 'https://',
    hosts: [
      forwardedHost,
      read('x-original-host'),
      read('host'),
      host,
      ...(/^[0-9]+$/.test(forwardedPort) ? [`${forwardedHost || read('host')}:${forwardedPort}`] : []),
    ],
    paths: [path, ...original.map((each) => each.split('?', 1)[0] ?? ''), read('x-forwarded-prefix') + path],
    query: query || (original.map((each) => /\?.*/.exec(each)?.[0] ?? '').find((each) => each !== '') ?? ''),
  }
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)]

const withAndWithoutPort = (host: string) => [host, host.replace(/:[0-9]+$/, '')]

function withAndWithoutSlash(path: string): readonly string[] {
  return [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`]
}

function differences(one: Parts, other: Parts): number {
  return PARTS.filter((part) => one[part] !== other[part]).length
}
