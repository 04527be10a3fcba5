/** Cryptography on node:crypto, synchronous. `web.ts` is its counterpart: both run the same test vectors. */
import nodeCrypto, { type Hash, type Hmac, type KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ListenerConfigError } from '../errors.ts'
import { bytesOf, textBytes, writeParts } from '../lib/bytes.ts'
import { crc32 as slowCrc32 } from '../lib/crc32.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { joinChunks } from '../lib/read-stream.ts'
import { bytesToHash, type HashedBytes } from '../lib/unread.ts'
import { MOST_HASHED_AT_ONCE } from '../limits.ts'
import {
  type HmacHash,
  hashBits,
  isKeyFor,
  type Mac,
  type Sha256,
  type SignatureAlgorithm,
  type SignatureKey,
  type Signed,
  type SignedBody,
  type Spelling,
} from './algorithms.ts'
import { toDerSignature } from './der.ts'
import { BYTES_A_TURN, joinInTurns, turnFor, wasAbandoned } from './turns.ts'
import { isWritten, mostBytes, sliceOf, sourceOf, wholeOf } from './written.ts'

// No cryptography, but Workers have no terminal, and no timers that several requests share.
export { explained } from '../explained.ts'
export { sharesTimers, startUnreferenced } from '../lib/shared-timers.ts'
export { abandon, wasAbandoned } from './turns.ts'

/** Not imported by name: older versions of Node would only report a missing export. */
const hash: typeof nodeCrypto.hash = nodeCrypto.hash ?? refuseNode()

function refuseNode(): never {
  throw new ListenerConfigError('node', `must be 20.19, or 22.12 or newer; this is ${process.version}`)
}

/** Computes the HMAC of `before`, `body` and `after`, concatenated. Each character of a text is one byte. */
export function hmacWith(algorithm: HmacHash, key: Uint8Array, spelling: Spelling): Mac {
  const keyObject = nodeCrypto.createSecretKey(key) // as bytes it would be read again each time
  return digestOf(() => nodeCrypto.createHmac(algorithm, keyObject), spelling)
}

/** Computes the plain hash of `before`, `body` and `after`, concatenated. Each character of a text is one byte. */
export function hashWith(algorithm: HmacHash, spelling: Spelling): Mac {
  return digestOf(() => nodeCrypto.createHash(algorithm), spelling)
}

function digestOf(start: () => Hash | Hmac, spelling: Spelling): Mac {
  return (before, body, after, times = 1) => {
    if (isLong(body, times)) {
      return inTurns(start, { before, body, after }).then((long) => long.digest(spelling))
    }
    const short = start()
    if (before !== '') short.update(before, 'latin1')
    feed(short, body)
    if (after !== '') short.update(after, 'latin1')
    return short.digest(spelling)
  }
}

export const sha256: Sha256 = (data, spelling = 'base64url') =>
  typeof data === 'string'
    ? hash('sha256', data.isWellFormed() ? data : textBytes(data), spelling)
    : isLong(data, 1)
      ? hashWith('sha256', spelling)('', data, '')
      : hash('sha256', bytesToHash(data), spelling)

/** Each computation takes a microsecond or two, however few bytes it has. */
const LEAST_COST = 1024

/** Whether computations over these bytes would stop the process for long. */
function isLong(body: SignedBody, times: number): boolean {
  return mostBytes(body) * times > MOST_HASHED_AT_ONCE || times > MOST_HASHED_AT_ONCE / LEAST_COST
}

/** Feeds all of it at once. */
function feed(sink: { update(data: Uint8Array): unknown }, body: SignedBody): void {
  if (isWritten(body)) for (const slice of slicesOf(body)) sink.update(slice())
  else sink.update(bytesToHash(body))
}

/** The work of each turn. */
function* slicesOf(body: SignedBody): Iterable<() => Uint8Array> {
  const { length } = sourceOf(body)
  const step = isWritten(body) ? Math.floor(BYTES_A_TURN / body.growth) : BYTES_A_TURN
  for (let at = 0; at < length; at += step) yield () => sliceOf(body, at, Math.min(at + step, length))
}

/** Feeds the parts to what `start` returns, in turns of the event loop. */
async function inTurns<Sink extends { update(data: Uint8Array): unknown }>(
  start: () => Sink,
  { before, body, after }: Signed,
): Promise<Sink> {
  const source = sourceOf(body)
  const most = Math.min(Math.max(mostBytes(body), LEAST_COST), BYTES_A_TURN)
  await turnFor(source, most)
  const sink = start()
  sink.update(Buffer.from(before, 'latin1'))
  let isFirst = true
  for (const slice of slicesOf(body)) {
    if (!isFirst) await turnFor(source, most)
    isFirst = false
    sink.update(slice())
  }
  sink.update(Buffer.from(after, 'latin1'))
  return sink
}

/** Shows all of the bytes to `visit`, in order: more than a turn's share in turns of the event loop. */
export function visitBytes(bytes: HashedBytes, visit: (slice: Uint8Array) => void): MaybePromise<void> {
  if (bytes.length <= BYTES_A_TURN) return visit(bytesToHash(bytes))
  return inTurns(() => ({ update: visit }), { before: '', body: bytes, after: '' }).then(() => {})
}

/** Asked for by PayPal's scheme alone, so that nobody else loads `node:zlib`. */
let nativeCrc32: typeof slowCrc32 | undefined

/** The CRC-32 of ZIP and PNG. `before` is that of the bytes before these. */
export function crc32(bytes: Uint8Array, before = 0): number {
  nativeCrc32 ??= process.getBuiltinModule?.('node:zlib')?.crc32 ?? slowCrc32
  return nativeCrc32(bytes, before)
}

/** The bytes of canonical base64url without padding (RFC 4648 5); undefined for any other text. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined // the decoder accepts nearly anything
}

const LONGEST_TEXT = 128
/** Two buffers per length, so that no bytes of an earlier text are compared. */
const buffers: (readonly [Buffer, Buffer])[] = []

/** Compares two texts of equal length, at most 128, in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  if (a.length !== b.length || a.length > LONGEST_TEXT) return false
  buffers[a.length] ??= [Buffer.alloc(a.length * 2), Buffer.alloc(a.length * 2)]
  const [left, right] = buffers[a.length] as (typeof buffers)[number]
  left.write(a, 'utf16le')
  right.write(b, 'utf16le')
  return nodeCrypto.timingSafeEqual(left, right)
}

/** Room for a body of a megabyte and the signed text before it. */
const LARGEST_JOINED = 1_048_576 + 8192
/** Reused, because the system may take 5 ms to provide a fresh megabyte. */
let joined = new Uint8Array(0)

/** Concatenates the parts. The result is valid until the next call: `verify` reads or copies it before it returns. */
function joinedBytes({ before, body: signed, after }: Signed): Uint8Array {
  const body = wholeOf(signed)
  const length = before.length + body.length + after.length
  if (length > LARGEST_JOINED) return bytesOf(before, body, after)
  if (joined.length < length) joined = new Uint8Array(length)
  writeParts(joined, before, body, after)
  return joined.subarray(0, length)
}

/**
 * Verifies `signature` over `message`, which is ASCII text or the parts of it, with a key imported for the algorithm (RFC 7515 5.2).
 *
 * Runs inline or in the thread pool: see `runsInline`. Long messages are hashed in turns, but for Ed25519, which takes them whole:
 * the pool gets a copy. `times` is that of a `Mac`.
 */
export async function verifySignature(
  algorithm: SignatureAlgorithm,
  key: SignatureKey,
  signature: Uint8Array<ArrayBuffer>,
  message: string | Signed,
  times = 1,
): Promise<boolean> {
  count(1)
  try {
    const keyObject = keyObjectFor(algorithm, key)
    const bits = hashBits(algorithm)
    const encoded = algorithm.startsWith('ES') ? toDerSignature(signature, bits / 8) : signature
    if (!keyObject || !encoded) return false
    const digest = algorithm === 'EdDSA' ? null : `sha${bits}`
    const verifyKey = algorithm.startsWith('PS')
      ? { key: keyObject, padding: nodeCrypto.constants.RSA_PKCS1_PSS_PADDING, saltLength: bits / 8 } // as RFC 7518 3.5 says
      : keyObject
    await undefined // lets checks of the same tick be counted
    if (typeof message === 'object' && isLong(message.body, times)) {
      if (digest === null) return await inPool(digest, await whole(message), verifyKey, encoded)
      return (await inTurns(() => nodeCrypto.createVerify(digest), message)).verify(verifyKey, encoded)
    }
    const bytes = typeof message === 'string' ? Buffer.from(message, 'latin1') : joinedBytes(message)
    const check = [digest, bytes, verifyKey, encoded] as const
    return runsInline() ? nodeCrypto.verify(...check) : await inPool(...check)
  } catch (error) {
    if (wasAbandoned(error)) throw error
    return false
  } finally {
    count(-1)
  }
}

function whole({ before, body: signed, after }: Signed): MaybePromise<Uint8Array> {
  const body = wholeOf(signed)
  if (before + after === '') return body
  const parts = [Buffer.from(before, 'latin1'), body, Buffer.from(after, 'latin1')]
  return joinInTurns(parts, before.length + body.length + after.length, body)
}

type Check = readonly [
  digest: string | null,
  bytes: Uint8Array,
  key: KeyObject | { readonly key: KeyObject; readonly padding: number; readonly saltLength: number },
  signature: Uint8Array,
]

function inPool(...check: Check): Promise<boolean> {
  return new Promise((resolve) => {
    nodeCrypto.verify(...check, (error, verifies) => resolve(error === null && verifies))
  })
}

const keyObjects = new WeakMap<SignatureKey, readonly [SignatureAlgorithm, KeyObject]>()

/** Cached per key. Pass the key itself to `verify`: some versions of Node parse `{ key, … }` again on each call, which takes longer than RS256. */
function keyObjectFor(algorithm: SignatureAlgorithm, key: SignatureKey): KeyObject | undefined {
  let known = keyObjects.get(key)
  if (known === undefined && isKeyFor(algorithm, key)) {
    known = [algorithm, nodeCrypto.KeyObject.from(key)]
    keyObjects.set(key, known)
  }
  return known?.[0] === algorithm ? known[1] : undefined
}

/**
 * Chooses between verifying a signature inline and in the thread pool. A round trip to the pool costs as much as the check,
 * so it pays only if other checks run at the same time, on other cores.
 *
 * The first check of a turn of the event loop runs inline. It leaves a marker, which counts as a check in flight until the
 * turn ends, so that later checks of the same turn use the pool. Sequential requests each have a turn of their own:
 *
 * ```
 *            │◄────────── one turn ──────────►│◄── next ──►│
 * request    │ A        nextTick   B     C    │ D          │
 * in flight  │ 1        marker: 1  2     3    │ 1          │
 * runs       │ inline              pool  pool │ inline     │
 *                                   setImmediate: marker gone
 * ```
 */

const hasOneCore = /* @__PURE__ */ availableParallelism() === 1
let inFlight = 0
let isMarked = false

/** Counts a check in (1) or out (-1). */
export function count(change: 1 | -1): void {
  inFlight += change
}

/** Whether the check that is about to run should block this thread. Count it in before. */
function runsInline(): boolean {
  if (hasOneCore) return true
  if (inFlight > 1) return false
  if (!isMarked) {
    isMarked = true
    process.nextTick(() => {
      count(1)
      setImmediate(() => {
        count(-1)
        isMarked = false
      })
    })
  }
  return true
}

/** Concatenates the chunks of a body, in turns if they are long. */
export function joinBody(chunks: readonly Uint8Array[], length: number): MaybePromise<Uint8Array> {
  const isLong = chunks.length > 1 && length > MOST_HASHED_AT_ONCE
  return isLong ? joinInTurns(chunks, length) : joinChunks(chunks, length)
}
