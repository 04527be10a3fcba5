import { UsageError } from './exit.ts'

export type Engine = 'redis' | 'postgres' | 'sqlite'

export interface StoreUrl {
  readonly engine: Engine
  /** What the client is given: the URL as it is, or the path of the file. */
  readonly target: string
  /** The same without credentials and parameters, for people. */
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

/** @throws UsageError for anything else. What was given is not repeated: it may hold a password. */
export function parseStoreUrl(text: string): StoreUrl {
  const [, file] = /^sqlite:(?:\/\/(?=\/))?(.*)$/s.exec(text) ?? []
  if (file !== undefined) {
    if (file === '' || file.startsWith(':')) throw new UsageError('--store sqlite: takes the name of a file')
    return { engine: 'sqlite', target: file, shown: `sqlite:${file}`, redact: (message) => message }
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  const engine = url && ENGINES[url.protocol]
  if (url === undefined || engine === undefined) throw new UsageError(WANTED)
  const secrets = secretsOf(text, url)
  return {
    engine,
    target: text,
    shown: `${url.protocol}//${url.host}${url.pathname}`,
    redact: (message) => secrets.reduce((safe, secret) => safe.replaceAll(secret, '***'), message),
  }
}

/** The longest first, since one may be in another: the URL, its password in both spellings, and its parameters. */
function secretsOf(text: string, url: URL): string[] {
  const { password, searchParams } = url
  const texts = [text, url.href, password, unescaped(password), ...searchParams.values()]
  return texts.filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length)
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
