import { bytesToHash } from '../lib/unread.ts'
import type { SignedBody, WrittenBytes } from './algorithms.ts'

/** Buffers have a `write` too. */
export const isWritten = (body: SignedBody): body is WrittenBytes => 'growth' in body

/** The bytes that it is, or that it is written from. */
export const sourceOf = (body: SignedBody): Uint8Array => bytesToHash(isWritten(body) ? body.from : body)

/** How many bytes it has at most. */
export const mostBytes = (body: SignedBody): number =>
  isWritten(body) ? body.from.length * body.growth : body.length

/** What is hashed for the bytes of its source between two indices. Valid until the next call. */
export const sliceOf = (body: SignedBody, start: number, end: number): Uint8Array =>
  isWritten(body) ? body.write(start, end) : bytesToHash(body).subarray(start, end)

/** All of its bytes at once, for what does not hash in slices. */
export const wholeOf = (body: SignedBody): Uint8Array =>
  isWritten(body) ? body.write(0, body.from.length).slice() : bytesToHash(body)
