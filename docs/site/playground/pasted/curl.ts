import {
  basic,
  binaryOf,
  bytesOf,
  checkedHeaders,
  type Header,
  type PastedRequest,
  parsedUrl,
  textOf,
  withoutCredentials,
} from './request.ts'
import { shellWords } from './shell-words.ts'

/** By option, what its value is. Short options by their letter. */
const WITH_VALUE: ReadonlyMap<string, string> = new Map([
  ...['X', 'request'].map((name) => [name, 'method'] as const),
  ...['H', 'header'].map((name) => [name, 'header'] as const),
  ...['d', 'data', 'data-ascii', 'data-binary'].map((name) => [name, 'data'] as const),
  ['data-raw', 'raw'],
  ['json', 'json'],
  ...['u', 'user'].map((name) => [name, 'user'] as const),
  ...['A', 'user-agent'].map((name) => [name, 'User-Agent'] as const),
  ...['e', 'referer'].map((name) => [name, 'Referer'] as const),
  ...['b', 'cookie'].map((name) => [name, 'Cookie'] as const),
  ['url', 'url'],
  ...[
    'o',
    'm',
    'w',
    'x',
    'c',
    'E',
    'K',
    'output',
    'max-time',
    'connect-timeout',
    'write-out',
    'proxy',
    'retry',
  ].map((name) => [name, 'ignored'] as const),
  ...['cookie-jar', 'cert', 'key', 'cacert', 'resolve', 'connect-to', 'retry-delay', 'max-redirs'].map(
    (name) => [name, 'ignored'] as const,
  ),
  ...['F', 'T', 'form', 'form-string', 'upload-file', 'data-urlencode'].map(
    (name) => [name, 'unread'] as const,
  ),
])
const FLAGS =
  /^(?:[sSLkvifgN#0123462]|silent|show-error|location|insecure|verbose|include|fail|globoff|no-buffer|compressed|progress-bar|http[0-9.]+|path-as-is|tlsv[0-9.]+|ipv[46]|fail-with-body|no-progress-meter)$/

/** What the options of a command add up to. */
class Command {
  method: string | undefined
  url: string | undefined
  readonly headers: Header[] = []
  readonly parts: string[] = []

  take(kind: string, option: string, binary: string): void {
    const text = textOf(binary)
    if (/^(?:data|raw|json)$/.test(kind)) this.#takeData(kind, option, binary)
    else if (kind === 'method') this.method = text
    else if (kind === 'url') this.#takeUrl(text)
    else if (kind === 'header') this.#takeHeader(text)
    else if (kind === 'user') this.headers.push(basic(text.includes(':') ? text : `${text}:`))
    else if (kind === 'unread')
      throw new SyntaxError(`${option} is not read here: paste the request with its body.`)
    else if (kind !== 'ignored' && (kind !== 'Cookie' || text.includes('='))) this.headers.push([kind, text])
  }

  #takeUrl(text: string): void {
    if (this.url !== undefined) throw new SyntaxError('The command has two URLs: is a quote missing?')
    this.url = /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^[\w.-]+:[0-9]/.test(text) ? text : `http://${text}`
  }

  /** `Name;` is a header without a value. `Name:` removes one that curl adds. */
  #takeHeader(text: string): void {
    if (text.startsWith('@')) throw new SyntaxError('The headers are in a file: paste them.')
    const [, name, value = ''] = /^([^:;]+)(?::[ \t]*([\s\S]*)|;[ \t]*)$/.exec(text) ?? []
    if (name === undefined) throw new SyntaxError(`“${text.slice(0, 40)}” is not a header.`)
    if (value !== '' || text.endsWith(';')) this.headers.push([name.trim(), value.trim()])
  }

  #takeData(kind: string, option: string, binary: string): void {
    if (kind !== 'raw' && binary.startsWith('@')) {
      throw new SyntaxError(
        `${option} reads the file ${textOf(binary).slice(1, 80)}: paste the request with its body.`,
      )
    }
    if (kind === 'json')
      this.headers.push(['Content-Type', 'application/json'], ['Accept', 'application/json'])
    if (kind !== 'json' && this.parts.length > 0) this.parts.push('&')
    this.parts.push(binary)
  }
}

/**
 * Reads a `curl` command as browsers, senders' consoles and hookgate's own inspector copy it. Sends nothing, and reads no file.
 * @throws SyntaxError for what it cannot read, with the remedy.
 */
export function readCurl(text: string): PastedRequest {
  const [, ...words] = shellWords(binaryOf(new TextEncoder().encode(text)))
  const command = new Command()
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const option = optionIn(word)
    if (option === undefined) command.take('url', word, word)
    else if (option.kind !== 'flag') {
      if (option.value === undefined) at += 1
      const value = option.value ?? words[at]
      if (value === undefined) throw new SyntaxError(`${option.name} has no value: paste the whole command.`)
      command.take(option.kind, option.name, value)
    }
  }
  return requestOf(command)
}

/** `-sX`, `-XPOST`, `--request`. Undefined for a word that is not an option. @throws SyntaxError for an unknown one. */
function optionIn(word: string) {
  if (word.startsWith('--')) {
    const kind = FLAGS.test(word.slice(2)) ? 'flag' : WITH_VALUE.get(word.slice(2))
    if (kind === undefined) throw unknown(word)
    return { kind, name: word, value: undefined }
  }
  if (!/^-./.test(word)) return undefined
  const letters = [...word.slice(1)]
  const first = letters.findIndex((letter) => !FLAGS.test(letter))
  if (first < 0) return { kind: 'flag', name: word, value: undefined }
  const kind = WITH_VALUE.get(letters[first] ?? '')
  if (kind === undefined) throw unknown(`-${letters[first]}`)
  const rest = word.slice(first + 2)
  return { kind, name: `-${letters[first]}`, value: rest === '' ? undefined : rest }
}

const unknown = (option: string) =>
  new SyntaxError(`The option ${textOf(option).slice(0, 40)} is not read here: remove it, and paste again.`)

function requestOf({ method, url, headers, parts }: Command): PastedRequest {
  if (url === undefined) throw new SyntaxError('The command has no URL.')
  const clean = withoutCredentials(url)
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted)
  const form: Header[] =
    parts.length > 0 && !has('content-type') ? [['Content-Type', 'application/x-www-form-urlencoded']] : []
  const host: Header[] = has('host') ? [] : [['Host', parsedUrl(clean.url).host]]
  return {
    from: 'a curl command',
    method: method ?? (parts.length > 0 ? 'POST' : 'GET'),
    url: clean.url,
    headers: checkedHeaders([...host, ...headers, ...form, ...(has('authorization') ? [] : clean.headers)]),
    body: bytesOf(parts.join('')),
  }
}
