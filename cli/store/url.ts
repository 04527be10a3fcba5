import { UsageError } from '../command-line/exit.ts'
import { spellingsOf } from '../lib/spellings.ts'

export type Engine = 'redis' | 'postgres' | 'mysql' | 'sqlite'

export interface StoreUrl {
  readonly engine: Engine
  /** Passed to the client: the URL, or the path of the file. */
  readonly target: string
  /** What to print: protocol and host, or the file. */
  readonly shown: string
  /** Removes this URL's secrets from a text. */
  redact(text: string): string
}

const ENGINES: { readonly [protocol: string]: Engine } = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
}

const UNUSABLE =
  '--store or HOOKGATE_STORE takes redis://HOST, postgres://HOST/DATABASE, mysql://HOST/DATABASE or sqlite:FILE'

/**
 * A URL that all clients parse alike: one `@` at most, and before it only characters that RFC 3986 allows. After a bare `@`,
 * `/`, `?` or `#` in the password, the rest of it would be looked up, and printed, as a host name.
 */
const UNAMBIGUOUS =
  /^\w+:\/\/(?:(?<user>(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*)@)?[\w.%:[\]-]*(?<rest>[/?#][^@\\\s]*)?$/i

const UNCLEAR =
  'the password in --store is ambiguous: percent-encode its special characters (@ is %40, / is %2F)'

/** @throws UsageError for any other URL. The message does not quote it, because it may hold a password. */
export function parseStoreUrl(text: string): StoreUrl {
  const [, file] = /^sqlite:(?:\/\/(?=\/))?(.*)$/s.exec(text) ?? []
  if (file !== undefined) {
    if (file === '' || file.startsWith(':')) throw new UsageError('--store names no file: write sqlite:FILE')
    if (/^sqlite:\/\/(?!\/)/.test(text))
      throw new UsageError('--store sqlite://… names a host: write sqlite:FILE')
    return { engine: 'sqlite', target: file, shown: `sqlite:${file}`, redact: (message) => message }
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  const engine = url && ENGINES[url.protocol]
  if (url === undefined || engine === undefined) throw new UsageError(UNUSABLE)
  const parts = UNAMBIGUOUS.exec(text)?.groups
  if (parts === undefined) throw new UsageError(UNCLEAR)
  const { user = '', rest = '' } = parts
  const passwords = [url.password, user.slice(user.indexOf(':') + 1)]
  const secrets = spellings([text, url.href, ...passwords, ...url.searchParams.values(), ...parameters(rest)])
  return {
    engine,
    target: text,
    shown: `${url.protocol}//${url.host}`,
    redact: (message) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '***'), message),
  }
}

/** The values after `?`, as written in the URL. */
function parameters(rest: string): string[] {
  const pairs = rest.slice(rest.indexOf('?') + 1).split('&')
  return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1))
}

/** Adds the decoded forms, and how messages spell both. The longest come first, since one may contain another. */
function spellings(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => [text, decoded(text)]).flatMap(spellingsOf)
  return all.toSorted((a, b) => b.length - a.length)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
