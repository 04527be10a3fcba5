import { ListenerConfigError } from '../../src/errors.ts'
import { isA } from '../../src/lib/member-of.ts'
import type { Incoming } from '../kit/incoming.ts'
import type { BodyCopy } from './body-copy.ts'

/** A request whose body is read by something else. `observedNode` and `observedWeb` make one. */
export interface ObservedRequest
  extends Pick<Incoming, 'method' | 'url' | 'header' | 'joinsHeaders' | 'sourceIp'> {
  /** Lets `copy` follow whatever reads the body, from now on. Throws a ListenerConfigError if the exact bytes are gone. */
  copyBody(copy: BodyCopy): void
}

const encoder = new TextEncoder()

/** Bytes, or those that a text stands for exactly. Undefined for anything else. */
export function exactBytes(kept: unknown, announced: number | undefined): Uint8Array | undefined {
  if (isA(kept, Uint8Array)) return kept
  if (isA(kept, ArrayBuffer)) return new Uint8Array(kept)
  if (typeof kept !== 'string') return undefined
  const bytes = encoder.encode(kept)
  return isExact(bytes.byteLength, announced, isDoubtful(kept)) ? bytes : undefined
}

/** Whether a decoder may have replaced bytes that are no UTF-8, or a reader may have cut a character in two. */
export function isDoubtful(text: string): boolean {
  return /[\ufffd\p{Surrogate}]/u.test(text)
}

/** Whether bytes that were put together are those that arrived: as many as announced, and without a doubtful text. */
export function isExact(length: number, announced: number | undefined, hasDoubt: boolean): boolean {
  return !hasDoubt && (announced === undefined || length === announced)
}

/** Something else read the body, and what it kept is not what the sender signed. */
export function bytesGone(): ListenerConfigError {
  const problem = 'was read before observeWebhook could, or was decoded, and its exact bytes are gone'
  const mend = 'mount observeWebhook before every body parser, or let the parser read request.clone()'
  return new ListenerConfigError('body', `${problem}: ${mend}, or keep the bytes in Node's request.rawBody`)
}
