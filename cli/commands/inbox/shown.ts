import type { ListedJob } from '../../../src/inbox/index.ts'
import { decodeUtf8, encodeBase64 } from '../../../src/lib/bytes.ts'
import { parseJson } from '../../../src/lib/json.ts'
import { escaped } from '../../../src/lib/printable.ts'
import { told } from '../../../src/told.ts'
import { paint, printable } from '../../command-line/output.ts'
import { prettyJson } from '../../listen/terminal.ts'

/** Senders choose IDs and types. Half a surrogate pair would be printed as a question mark. */
export const oneLine = (text: string): string =>
  printable(text)
    .replace(/\s/g, ' ')
    .replace(/\p{Cs}/gu, escaped)

export const counted = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`

export const timeOf = (date: Date): string => `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const

/** In the largest unit that is full. */
export function age(milliseconds: number): string {
  const [size, unit] = UNITS.find(([size]) => milliseconds >= size) ?? [1000, 's']
  return `${Math.max(0, Math.floor(milliseconds / size))} ${unit}`
}

const COLOURS = { waiting: 'gray', running: 'yellow', held: 'gray', dead: 'red', done: 'green' } as const

const stateOf = ({ state, attempts }: ListedJob): string =>
  `${paint(COLOURS[state], state)}, ${counted(attempts, 'attempt')}`

/** Without what the handler's error quotes, which may be the payload. */
const errorOf = (error: string): string => oneLine(told({ message: error }))

/** Three lines, which fit on a terminal. */
export function listedLines(job: ListedJob): readonly string[] {
  const { id, listener, eventId, type = '-', putAt, error } = job
  return [
    `${id}  ${stateOf(job)}, put ${timeOf(putAt)}`,
    `  ${[listener, type, eventId].map(oneLine).join('  ')}`,
    ...(error === undefined ? [] : [`  ${errorOf(error)}`]),
  ]
}

/** @param isWhole Whether the payload may be shown, and so the whole error. */
export function shownLines(job: ListedJob, isWhole: boolean): readonly string[] {
  const { id, listener, eventId, type, state, putAt, dueAt, error, hasBody, body } = job
  const due = { waiting: 'due', running: 'leased until', done: 'remembered until', held: '', dead: '' }[state]
  const rows = [
    ['job', id],
    ['listener', oneLine(listener)],
    ['event', oneLine(eventId)],
    ...(type === undefined ? [] : [['type', oneLine(type)]]),
    ['state', stateOf(job)],
    ['put', timeOf(putAt)],
    ...(dueAt === undefined ? [] : [[due, timeOf(dueAt)]]),
    ...(error === undefined ? [] : [['error', isWhole ? oneLine(error) : errorOf(error)]]),
    ['body', bodyRow(hasBody, body)],
  ]
  const widest = Math.max(...rows.map(([name = '']) => name.length))
  const lines = rows.map(([name = '', value = '']) => `${name.padEnd(widest)}  ${value}`)
  return [...lines, ...(body ? [bodyText(body)] : [])]
}

function bodyRow(hasBody: boolean, body: Uint8Array | undefined): string {
  if (body) return counted(body.length, 'byte')
  return hasBody
    ? 'kept: --body shows it'
    : 'gone: it goes when the event is done, unless you set keepBodiesFor'
}

function bodyText(body: Uint8Array): string {
  const text = decodeUtf8(body)
  if (text === undefined) return `  ${encodeBase64(body)}`
  const shown = 'value' in parseJson(body) ? prettyJson(text) : text
  return printable(shown)
    .replace(/\p{Cs}/gu, escaped)
    .replace(/^/gm, '  ')
}

/** A job as JSON: `body` if it is UTF-8, otherwise `bodyBase64`. */
export function jsonOf(job: ListedJob, isWhole = false): object {
  const { body, error, type, dueAt, ...rest } = job
  const text = body && decodeUtf8(body)
  return {
    ...rest,
    type: type ?? null,
    dueAt: dueAt ?? null,
    error: error === undefined ? null : isWhole ? error : told({ message: error }),
    ...(body && (text === undefined ? { bodyBase64: encodeBase64(body) } : { body: text })),
  }
}
