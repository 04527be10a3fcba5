import type { Delivery } from '../src/index.ts'
import type { OptionTable } from './command.ts'
import { UsageError } from './exit.ts'
import { readBody, readGivenFile } from './values.ts'

export interface CapturedValues {
  readonly header?: readonly string[]
  readonly headers?: string
  readonly file?: string
  readonly 'source-ip'?: string
}

export const CAPTURED_OPTIONS: OptionTable<CapturedValues> = {
  header: { value: "'NAME: VALUE'", many: true, says: 'A header as received; repeatable' },
  headers: { value: 'FILE', says: 'The headers as received, one a line; a request line may come first' },
  file: { value: 'FILE', says: 'The file with the exact bytes of the body (default: standard input)' },
  'source-ip': { value: 'ADDRESS', says: 'Where it came from, for --allow-cidr' },
}

const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/
const REQUEST_LINE = /^([A-Z]+) \S+(?: HTTP\/[0-9.]+)?$/

/** A delivery that somebody kept: what an adapter would have seen. @throws UsageError for what is no header. */
export async function readCaptured(given: CapturedValues): Promise<Delivery> {
  const lines = given.headers === undefined ? [] : await readLines(given.headers)
  const [, method] = REQUEST_LINE.exec(lines[0] ?? '') ?? []
  const headers = new Map<string, string[]>()
  for (const line of [...lines.slice(method === undefined ? 0 : 1), ...(given.header ?? [])]) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw new UsageError("a header is written 'Name: value'; one of those given is not")
    const key = name.toLowerCase()
    headers.set(key, [...(headers.get(key) ?? []), value])
  }
  if (headers.size === 0) throw new UsageError("needs the headers: --headers FILE, or --header 'Name: value'")
  return {
    method: method ?? 'POST',
    header: (name) => headers.get(name),
    body: await readBody(given),
    sourceIp: given['source-ip'],
  }
}

async function readLines(path: string): Promise<string[]> {
  const text = (await readGivenFile('--headers', path)).toString('latin1')
  return text.split(/\r?\n/).filter((line) => line !== '')
}
