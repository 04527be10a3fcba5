import type { Delivery } from '../delivery.ts'
import type { ExpectedSender } from './expected-sender.ts'
import type { Guess } from './guess.ts'

const MOST_URLS = 150
const LONGEST_VALUE = 2048

const OTHER_QUERY =
  'the request has another query, or none: find what changes it in front of this listener, such as a rewrite'
const CHANGES = 'if the query differs between requests, leave the query out of publicUrl'
const NOT_DIVIDED =
  'the signed text does not show where the query ends, so if the query differs between requests, make a listener for each URL in a lookup'

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
  const requested = queryOf(delivery)
  const tried = { ...configured, query: configured.query || requested }
  const says = (parts: Parts, signed: string): string => {
    const isOfQuery = differences({ ...parts, query: '' }, { ...configured, query: '' }) === 0
    if (isOfQuery && parts.query === configured.query && delivery.url !== undefined) {
      return `${name} signed publicUrl; ${OTHER_QUERY}`
    }
    const others = PARTS.filter((part) => parts[part] !== configured[part])
    const differ = `its ${others.join(' and ')} ${others.length > 1 ? 'differ' : 'differs'}`
    const fix = `set publicUrl to the URL that ${name} calls; ${differ}`
    const change = configured.query === '' ? NOT_DIVIDED : CHANGES
    const isOfRequest = isOfQuery && parts.query === requested
    return `${name} signed ${signed}; publicUrl is ${publicUrl}: ${fix}${isOfRequest ? `; ${change}` : ''}`
  }
  return combined(configured, seenBy(delivery))
    .map((parts) => ({ parts, changes: differences(parts, tried) }))
    .filter(({ changes }) => changes > 0 || configured.query !== requested)
    .sort((one, other) => one.changes - other.changes)
    .slice(0, MOST_URLS)
    .map(({ parts }) => {
      const signed = PARTS.map((part) => parts[part]).join('')
      return { says: [says(parts, signed)], publicUrl: signed }
    })
}

const PARTS = ['protocol', 'host', 'path', 'query'] as const
type Parts = { readonly [Part in (typeof PARTS)[number]]: string }

/** As texts: nothing is normalised, because the sender signs the exact text. */
function partsOf(url: string): Parts {
  const [, protocol = '', host = '', path = '', query = ''] =
    /^(https?:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(url) ?? []
  return { protocol, host, path, query }
}

const differences = (one: Parts, other: Parts) => PARTS.filter((part) => one[part] !== other[part]).length

/** The query of the request itself, whatever proxies say. */
function queryOf({ url = '' }: Delivery): string {
  return url.length > LONGEST_VALUE ? '' : (/\?[^#]*/.exec(url)?.[0] ?? '')
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
  const forwarded = read('forwarded')
  const forwardedHost = read('x-forwarded-host') || (/host="?([^";]+)/i.exec(forwarded)?.[1] ?? '')
  const forwardedPort = read('x-forwarded-port')
  const withPort = /^[0-9]+$/.test(forwardedPort) ? `${forwardedHost || read('host')}:${forwardedPort}` : ''
  const protocol = read('x-forwarded-proto') || (/proto="?([a-z]+)/i.exec(forwarded)?.[1] ?? '')
  return {
    protocol: /^https?$/i.test(protocol) ? `${protocol.toLowerCase()}://` : 'https://',
    hosts: [forwardedHost, read('x-original-host'), read('host'), host, withPort],
    paths: [path, ...original.map((each) => each.split('?', 1)[0] ?? ''), read('x-forwarded-prefix') + path],
    query: query || (original.map((each) => /\?.*/.exec(each)?.[0] ?? '').find((each) => each !== '') ?? ''),
  }
}

/** Every URL of these parts, with and without the port, and a slash at the end of the path. */
function combined(configured: Parts, seen: ReturnType<typeof seenBy>): readonly Parts[] {
  const unique = (values: readonly string[]): readonly string[] => [...new Set(values)]
  const protocols = unique([configured.protocol, seen.protocol, 'https://', 'http://'])
  const hosts = unique(
    [configured.host, ...seen.hosts]
      .filter((host) => host !== '')
      .flatMap((host) => [host, host.replace(/:[0-9]+$/, '')]),
  )
  const paths = unique(
    [configured.path, ...seen.paths].flatMap((path) => [
      path,
      path.endsWith('/') ? path.slice(0, -1) : `${path}/`,
    ]),
  )
  const queries = unique([configured.query, seen.query, ''])
  return protocols.flatMap((protocol) =>
    hosts.flatMap((host) =>
      paths.flatMap((path) => queries.map((query) => ({ protocol, host, path, query }))),
    ),
  )
}
