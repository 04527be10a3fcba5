import { UsageError } from './exit.ts'

export type Engine = 'redis' | 'postgres' | 'sqlite'

export interface StoreUrl {
  readonly engine: Engine
  /** Passed to the client: the URL, or the path of the file. */
  readonly target: string
  /** Its scheme and host, or the file: for people. */
  readonly shown: string
  /** Text from elsewhere, without what has to stay secret here. */
  redact(text: string): string
}

const ENGINES: { readonly [protocol: string]: Engine } = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
}

const WANTED = '--store takes redis://HOST, postgres://HOST/DATABASE or sqlite:FILE'

/**
 * A URL that all clients read alike: before its only `@` nothing but what RFC 3986 allows there. Otherwise a bare `@`, `/`, `?`
 * or `#` in the password makes the rest of it a host name, to be looked up and printed.
 */
const UNAMBIGUOUS =
  /^\w+:\/\/(?:(?<user>(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*)@)?[\w.%:[\]-]*(?<rest>[/?#][^@\\\s]*)?$/i

const UNCLEAR =
  '--store: percent-encode the special characters of the password (@ is %40, / is %2F): where it ends is not clear'

/** @throws UsageError for anything else. The message does not quote the URL, which may hold a password. */
export function parseStoreUrl(text: string): StoreUrl {
  const [, file] = /^sqlite:(?:\/\/(?=\/))?(.*)$/s.exec(text) ?? []
  if (file !== undefined) {
    if (file === '' || file.startsWith(':')) throw new UsageError('--store sqlite: takes the name of a file')
    return { engine: 'sqlite', target: file, shown: `sqlite:${file}`, redact: (message) => message }
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  const engine = url && ENGINES[url.protocol]
  if (url === undefined || engine === undefined) throw new UsageError(WANTED)
  const { user = '', rest = '' } = UNAMBIGUOUS.exec(text)?.groups ?? refuseUnclear()
  const passwords = [url.password, user.slice(user.indexOf(':') + 1)]
  const secrets = spellings([text, url.href, ...passwords, ...url.searchParams.values(), ...parameters(rest)])
  return {
    engine,
    target: text,
    shown: `${url.protocol}//${url.host}`,
    redact: (message) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '***'), message),
  }
}

function refuseUnclear(): never {
  throw new UsageError(UNCLEAR)
}

/** The values behind `?`, as they are spelt in the URL. */
function parameters(rest: string): string[] {
  const pairs = rest.slice(rest.indexOf('?') + 1).split('&')
  return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1))
}

/** With their decoded forms; the longest first, since one may be in another. */
function spellings(texts: readonly string[]): string[] {
  const all = texts.flatMap((text) => [text, decoded(text)])
  return all.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
