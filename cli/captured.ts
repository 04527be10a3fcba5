import type { Delivery } from '../src/index.ts'
import type { OptionTable } from './command.ts'
import { UsageError } from './exit.ts'
import { readHeaderLines } from './header-lines.ts'
import { asDelivery } from './inspector/explaining.ts'
import { loadRecords } from './inspector/record-file.ts'
import { readBody, readGivenFile, wholeNumber } from './values.ts'

export interface CapturedValues {
  readonly header?: readonly string[]
  readonly headers?: string
  readonly file?: string
  readonly 'source-ip'?: string
  readonly record?: string
  readonly seq?: string
}

/** A delivery that somebody kept. */
export interface Captured {
  /** The delivery as an adapter would have passed it on. */
  readonly delivery: Delivery
  /** When it arrived, in Unix seconds, where the record says so. */
  readonly at?: number
}

export const CAPTURED_OPTIONS: OptionTable<CapturedValues> = {
  header: { value: "'NAME: VALUE'", many: true, says: 'A header as received; repeatable' },
  headers: { value: 'FILE', says: 'The headers as received, one a line; a request line may come first' },
  file: { value: 'FILE', says: 'The file with the exact bytes of the body (default: standard input)' },
  'source-ip': { value: 'ADDRESS', says: 'Where it came from, for --allow-cidr' },
  record: { value: 'FILE', says: 'A record of listen --record, in place of headers and body; see --seq' },
  seq: { value: 'N', says: 'Which delivery of --record, counted from 1 (default: the last)' },
}

/** @throws UsageError for headers or a record that cannot be read. */
export async function readCaptured(given: CapturedValues): Promise<Captured> {
  if (given.record !== undefined) return readRecorded(given, given.record)
  if (given.seq !== undefined) throw new UsageError('--seq belongs to --record FILE')
  const lines = given.headers === undefined ? [] : await readLines(given.headers)
  const read = readHeaderLines([...lines, ...(given.header ?? [])])
  if (read === undefined) {
    throw new UsageError("a header is written 'Name: value'; one of those given is not")
  }
  const { method, headers } = read
  if (headers.size === 0) throw new UsageError("needs the headers: --headers FILE, or --header 'Name: value'")
  const body = await readBody(given, '--file FILE')
  const sourceIp = given['source-ip']
  return { delivery: { method: method ?? 'POST', header: (name) => headers.get(name), body, sourceIp } }
}

/** It is judged by the time at which it arrived. */
async function readRecorded(given: CapturedValues, path: string): Promise<Captured> {
  if (given.header ?? given.headers ?? given.file) {
    throw new UsageError('give --record, or the headers and the body, not both')
  }
  const records = await loadRecords(path, '--record')
  const last = Math.max(1, records.length)
  const record = records[wholeNumber('--seq', given.seq ?? `${last}`, 1, last) - 1]
  if (record === undefined) throw new UsageError(`--record ${path}: it holds no delivery`)
  if (record.truncated) throw new UsageError('this body was not kept in full, so it cannot be verified')
  const { sourceIp = record.sourceIp ?? undefined } = { sourceIp: given['source-ip'] }
  return { delivery: { ...asDelivery(record), sourceIp }, at: Math.floor(Date.parse(record.time) / 1000) }
}

async function readLines(path: string): Promise<string[]> {
  const text = (await readGivenFile('--headers', path)).toString('latin1')
  return text.split(/\r?\n/).filter((line) => line !== '')
}
