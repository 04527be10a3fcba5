import { type FileHandle, open } from 'node:fs/promises'
import type { CheckOutcome } from '../../src/explain/index.ts'
import { UsageError } from '../command-line/exit.ts'
import { remark, toJsonLine } from '../command-line/output.ts'
import { codeOf, OWNER_ONLY, readGivenFile } from '../command-line/values.ts'
import type { AppOutcome, Inspected, WireHeaders } from './inspected.ts'

const VERSION = 1
const SIGNABLE = ['id', 'type', 'sentAt'] as const
const VERDICTS: readonly unknown[] = ['accepted', 'handshake', 'refused', 'undecided']

/** One line of NDJSON, version 1: everything known about a delivery, with its exact bytes. */
export function toRecord(delivery: Inspected, checks: readonly CheckOutcome[]): string {
  const { body, app, ...rest } = delivery
  return toJsonLine({
    v: VERSION,
    ...rest,
    checks: checks.map(({ name, ok }) => ({ name, ok })),
    bodyBase64: base64(body),
    app: app && { ...app, body: undefined, bodyBase64: base64(app.body) },
  })
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Parses a line. Undefined if it is not a record of version 1. */
function parseRecord(line: string): Inspected | undefined {
  const record = parsed(line)
  if (record?.v !== VERSION || !VERDICTS.includes(record.verdict)) return undefined
  const { seq, time, method, path, headers, bodyBase64, ms } = record
  if (!isCount(seq) || !areHeaders(headers) || typeof bodyBase64 !== 'string') return undefined
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) return undefined
  if (typeof method !== 'string' || typeof path !== 'string') return undefined
  const { receive, decide, app, total } = members(ms)
  const body = Buffer.from(bodyBase64, 'base64')
  return {
    ...{ seq, time, method, path, headers, body },
    bytes: count(record.bytes) ?? body.length,
    truncated: record.truncated === true,
    verdict: record.verdict as Inspected['verdict'], // one of VERDICTS
    listener: text(record.listener),
    sourceIp: text(record.sourceIp),
    reason: text(record.reason),
    detail: text(record.detail),
    eventId: text(record.eventId),
    eventType: text(record.eventType),
    unsigned: SIGNABLE.filter((name) => Array.isArray(record.unsigned) && record.unsigned.includes(name)),
    status: count(record.status),
    replayOf: count(record.replayOf),
    ms: { receive: number(receive), decide: number(decide), app: number(app), total: number(total) ?? 0 },
    app: appOf(record.app),
  }
}

type Members = { readonly [member: string]: unknown }

function parsed(line: string): Members | undefined {
  try {
    return members(JSON.parse(line))
  } catch {
    return undefined
  }
}

const members = (value: unknown): Members => Object(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0
const count = (value: unknown) => (isCount(value) ? value : null)
const number = (value: unknown) => (Number.isFinite(value) ? Number(value) : null)
const text = (value: unknown) => (typeof value === 'string' ? value : null)

function areHeaders(value: unknown): value is WireHeaders {
  const isPair = (pair: unknown) =>
    Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string')
  return Array.isArray(value) && value.every(isPair)
}

function appOf(value: unknown): AppOutcome | null {
  const { status, headers, bodyBase64, truncated, problem } = members(value)
  if (!areHeaders(headers) || typeof bodyBase64 !== 'string') return null
  return {
    status: count(status),
    headers,
    body: Buffer.from(bodyBase64, 'base64'),
    truncated: truncated === true,
    problem: text(problem),
  }
}

/** `--record FILE`: appends each delivery as a line. @throws UsageError if the file cannot be written. */
export async function openRecordFile(path: string) {
  const file = await open(path, 'a', OWNER_ONLY).catch((error: unknown) => {
    throw new UsageError(`--record ${path}: it cannot be written (${codeOf(error)}); choose another file`)
  })
  await keepForOwner(file, path)
  const stream = file.createWriteStream()
  let failed = false
  stream.on('error', (error) => {
    failed = true
    remark(
      `hookgate: --record ${path}: writing failed (${codeOf(error)}); deliveries are no longer recorded; restart to record again`,
    )
  })
  return {
    write: (line: string) => void (failed || stream.write(`${line}\n`)),
    /** Resolves once everything is written. */
    close: () => new Promise<void>((resolve) => (failed ? resolve() : stream.end(resolve))),
  }
}

/** A file that exists keeps its mode when it is opened. A pipe or a device has no content to protect. @throws UsageError */
async function keepForOwner(file: FileHandle, path: string): Promise<void> {
  const found = await file.stat()
  const isOwn = found.uid === (process.getuid?.() ?? found.uid)
  const isKept = () =>
    file.chmod(OWNER_ONLY).then(
      () => true,
      () => false,
    )
  if (!found.isFile() || (isOwn && (await isKept()))) return
  await file.close()
  throw new UsageError(`--record ${path}: other users of this machine could read it; choose another file`)
}

/**
 * Reads the deliveries of a record, numbered from 1. Skips a last line that is incomplete, e.g. after a crash.
 *
 * @throws UsageError if the file cannot be read, is over 64 MB, or has a line that is not a record.
 */
export async function loadRecords(path: string, option = '--load'): Promise<readonly Inspected[]> {
  const text = `${await readGivenFile(option, path, 'take the latest part: tail -n 200')}`
  const lines = text.split('\n')
  const isCut = !text.endsWith('\n')
  const seqs = new Map<number, number>()
  const loaded: Inspected[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const delivery = parseRecord(line)
    if (delivery === undefined && isCut && index === lines.length - 1) continue
    if (delivery === undefined)
      throw new UsageError(
        `${option} ${path}: line ${index + 1} is not a record of listen --record; remove it`,
      )
    const seq = loaded.length + 1
    seqs.set(delivery.seq, seq)
    loaded.push({ ...delivery, seq, replayOf: seqs.get(delivery.replayOf ?? 0) ?? null })
  }
  return loaded
}
