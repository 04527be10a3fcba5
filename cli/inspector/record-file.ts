import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { UsageError } from '../command-line/exit.ts'
import { remark } from '../command-line/output.ts'
import { codeOf, readGivenFile } from '../command-line/values.ts'
import type { Inspected } from './inspected.ts'
import { parseRecord } from './record.ts'

const LARGEST_FILE = 64 * 2 ** 20
const OWNER_ONLY = 0o600

/** `--record FILE`: appends each delivery as a line. */
export interface RecordFile {
  write(line: string): void
  /** Resolves once everything is written. */
  close(): Promise<void>
}

/** @throws UsageError if the file cannot be written. */
export async function openRecordFile(path: string): Promise<RecordFile> {
  const stream = createWriteStream(path, { flags: 'a', mode: OWNER_ONLY })
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve()).once('error', reject)
  }).catch((error: unknown) => {
    throw new UsageError(`--record ${path}: it cannot be written (${codeOf(error)}); choose another file`)
  })
  let failed = false
  stream.on('error', (error) => {
    failed = true
    remark(
      `hookgate: --record ${path}: writing failed (${codeOf(error)}); deliveries are no longer recorded; restart to record again`,
    )
  })
  return {
    write: (line) => void (failed || stream.write(`${line}\n`)),
    close: () => new Promise((resolve) => (failed ? resolve() : stream.end(resolve))),
  }
}

/**
 * Reads the deliveries of a record, numbered from 1. Skips a last line that is incomplete, e.g. after a crash.
 *
 * @throws UsageError if the file cannot be read, is over 64 MB, or has a line that is not a record.
 */
export async function loadRecords(path: string, option = '--load'): Promise<readonly Inspected[]> {
  const { size } = await stat(path).catch(() => ({ size: 0 }))
  if (size > LARGEST_FILE) {
    const megabytes = Math.round(size / 2 ** 20)
    throw new UsageError(
      `${option} ${path}: it has ${megabytes} MB, and the limit is 64; take the latest part: tail -n 200`,
    )
  }
  const text = (await readGivenFile(option, path)).toString('utf8')
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
