import { createReadStream } from 'node:fs'
import { ListenerConfigError } from '../../src/index.ts'
import { textOf } from '../../src/lib/member-of.ts'
import { UsageError } from './exit.ts'

/** @throws UsageError if one of these options is given. */
export function refuseStray<Name extends string>(
  given: { readonly [Option in Name]?: unknown },
  names: readonly Name[],
  advice: string,
): void {
  const stray = names.find((name) => given[name] !== undefined)
  if (stray) throw new UsageError(`--${stray} ${advice}`)
}

/** @throws UsageError unless the text is a whole number within the bounds. */
export function wholeNumber(option: string, text: string, lowest: number, highest: number): number {
  const value = Number(text)
  if (!/^-?[0-9]{1,15}$/.test(text) || value < lowest || value > highest) {
    throw new UsageError(`${option} takes a whole number from ${lowest} to ${highest}`)
  }
  return value
}

const UNITS: { readonly [unit: string]: number } = { '': 1, b: 1, kb: 2 ** 10, mb: 2 ** 20 }

/** A size like `65536`, `64kb` or `1mb`, in bytes. @throws UsageError */
export function byteSize(option: string, text: string, largest: number): number {
  const [, digits = '', unit = ''] = /^([0-9]{1,10})(|b|kb|mb)$/i.exec(text) ?? []
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)
  if (bytes >= 1 && bytes <= largest) return bytes
  throw new UsageError(`${option} takes a size from 1 to ${largest} bytes, e.g. 65536, 64kb or 1mb`)
}

/** @throws UsageError unless the text is an absolute http or https URL without credentials. */
export function httpUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`${option} takes http:// or https:// and a host, e.g. http://localhost:3000`)
  }
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${option} must not contain credentials`)
  return url
}

/** A path as a client sends it: without `.` and `..`, and percent-encoded. @throws UsageError */
export function urlPath(option: string, text: string): string {
  if (/^\/[^?#]*$/.test(text)) return new URL(`http://localhost${text}`).pathname
  throw new UsageError(`${option} takes a path without host and query, e.g. /webhooks/stripe`)
}

const FILE_PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a directory; give a file',
  EACCES: 'you may not read it; check its permissions',
}

/** The mode of files with secrets. */
export const OWNER_ONLY = 0o600

/** In bytes. A device such as /dev/zero never ends. */
const LARGEST_FILE = 64 * 2 ** 20

/** @throws UsageError when the file cannot be read, or is over 64 MB: then it gives the advice. */
export async function readGivenFile(
  option: string,
  path: string,
  advice = 'give a smaller one',
): Promise<Buffer<ArrayBuffer>> {
  const bytes = await readUpToLargest(createReadStream(path)).catch((error: unknown) => {
    throw new UsageError(`${option} ${path}: ${FILE_PROBLEMS[codeOf(error)] ?? 'it cannot be read'}`)
  })
  if (bytes.length <= LARGEST_FILE) return bytes
  throw new UsageError(`${option} ${path}: it is over 64 MB; ${advice}`)
}

/** Stops once there are more bytes than `LARGEST_FILE`. */
async function readUpToLargest(stream: AsyncIterable<Buffer>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    length += chunk.length
    if (length > LARGEST_FILE) break // which ends the stream
  }
  return Buffer.concat(chunks)
}

/** @throws UsageError when the file cannot be read or is not a JSON object. Its content is not repeated. */
export async function readGivenJson(option: string, path: string): Promise<object> {
  const bytes = await readGivenFile(option, path)
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw new UsageError(`${option} ${path}: it is not a JSON object`)
}

/**
 * Reads the exact bytes to sign or verify, from `--data`, `--file` or standard input. `ways` are the options of the command.
 */
export async function readBody(
  given: { readonly data?: string | undefined; readonly file?: string | undefined },
  ways: '--file FILE' | '--data TEXT, --file FILE',
): Promise<Uint8Array<ArrayBuffer>> {
  if (given.data !== undefined && given.file !== undefined)
    throw new UsageError('give --data or --file, not both')
  if (given.data !== undefined) return new Uint8Array(Buffer.from(given.data))
  if (given.file !== undefined && given.file !== '-')
    return new Uint8Array(await readGivenFile('--file', given.file))
  if (process.stdin.isTTY) throw new UsageError(`needs a body: give ${ways}, or bytes on standard input`)
  const bytes = await readUpToLargest(process.stdin)
  if (bytes.length > LARGEST_FILE) throw new UsageError('standard input is over 64 MB')
  return new Uint8Array(bytes)
}

/** Rewords an error of the package: names the flag in place of the option. */
export function toUsageError(error: unknown, flag: string): UsageError {
  if (!(error instanceof ListenerConfigError)) throw error
  return new UsageError(`${flag}: ${error.problem}`, { cause: error })
}

export function codeOf(error: unknown): string {
  return textOf(error, 'code') ?? ''
}
