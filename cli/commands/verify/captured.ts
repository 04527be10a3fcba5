import type { Delivery } from '../../../src/index.ts'
import type { OptionRows, ValuesOf } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/exit.ts'
import { readBody, readGivenFile, wholeNumber } from '../../command-line/values.ts'
import { asDelivery } from '../../inspector/inspected.ts'
import { isMasked } from '../../inspector/mask.ts'
import { loadRecords } from '../../inspector/record.ts'
import { readHeaderLines } from './header-lines.ts'

interface Captured {
  /** The delivery as an adapter would pass it on. */
  readonly delivery: Delivery
  /** The time of arrival in Unix seconds, if the delivery comes from a record. */
  readonly at?: number
}

export const CAPTURED_OPTIONS = {
  header: { value: "'NAME: VALUE'", many: true, says: 'A header as received; repeatable' },
  headers: { value: 'FILE', says: 'The headers as received, one a line; the request line may come first' },
  file: { value: 'FILE', says: 'The file with the exact bytes of the body (default: standard input)' },
  'source-ip': { value: 'ADDRESS', says: 'The address it came from, for --allow-cidr' },
  record: { value: 'FILE', says: 'A file of listen --record, instead of headers and body; see --seq' },
  seq: { value: 'N', says: 'Which delivery of --record, counting from 1 (default: the last)' },
} satisfies OptionRows

type CapturedValues = ValuesOf<typeof CAPTURED_OPTIONS>

/** @throws UsageError for headers or a record that cannot be read. */
export async function readCaptured(given: CapturedValues): Promise<Captured> {
  if (given.record !== undefined) return readRecorded(given, given.record)
  if (given.seq !== undefined) throw new UsageError('--seq needs --record FILE')
  const lines = given.headers === undefined ? [] : await readLines(given.headers)
  const read = readHeaderLines([...lines, ...(given.header ?? [])])
  if (read === undefined) throw new UsageError("write each header as 'Name: value'")
  const { method, url, headers } = read
  if (headers.size === 0 && url === undefined)
    throw new UsageError("needs the headers: give --headers FILE, or --header 'Name: value'")
  const body = await readBody(given, '--file FILE')
  const sourceIp = given['source-ip']
  return { delivery: { method: method ?? 'POST', url, header: (name) => headers.get(name), body, sourceIp } }
}

async function readRecorded(given: CapturedValues, path: string): Promise<Captured> {
  if (given.header ?? given.headers ?? given.file) {
    throw new UsageError('give --record, or the headers and the body, not both')
  }
  const records = await loadRecords(path, '--record')
  const last = Math.max(1, records.length)
  const record = records[wholeNumber('--seq', given.seq ?? `${last}`, 1, last) - 1]
  if (record === undefined)
    throw new UsageError(
      `--record ${path}: the file has no deliveries; make one with hookgate listen --record FILE`,
    )
  if (record.truncated)
    throw new UsageError(
      'this body was not recorded in full, so it cannot be verified; choose another delivery with --seq',
    )
  if (record.headers.some(([, value]) => isMasked(value)))
    throw new UsageError(
      `--record ${path}: its signature is hidden, as in every export of the page; use a file of listen --record`,
    )
  const { sourceIp = record.sourceIp ?? undefined } = { sourceIp: given['source-ip'] }
  return { delivery: { ...asDelivery(record), sourceIp }, at: Math.floor(Date.parse(record.time) / 1000) }
}

/** UTF-8's and UTF-16's, which Windows editors and PowerShell write. */
const BYTE_ORDER_MARKS = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/

async function readLines(path: string): Promise<string[]> {
  const text = (await readGivenFile('--headers', path)).toString('latin1')
  if (BYTE_ORDER_MARKS.test(text)) throw new UsageError(`--headers ${path}: save it as UTF-8 without BOM`)
  return text.split(/\r?\n/).filter((line) => line !== '')
}
