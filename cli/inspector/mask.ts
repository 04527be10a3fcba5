import { spellingsOf } from '../lib/spellings.ts'
import type { Inspected, WireHeaders } from './inspected.ts'

/** Headers that may hold a signature, a token or a password of any sender. */
const SENSITIVE =
  /signature|token|secret|authorization|cookie|hmac|passw|api[-_]?key|jwt|assertion|session|credential/i
/** These may hold several values, each of them secret, however short. */
const SECRET_LIST = /cookie/i
/** In all other sensitive headers, only long runs are hidden: `t=1790000000,v1=` stays readable. */
const LONG_RUN = /[A-Za-z0-9+/_.~=-]{20,}/g
const SHORTEST_SECRET = 8

/** Hides secrets, signatures and tokens in what leaves this process. */
export interface Mask {
  headers(headers: WireHeaders): WireHeaders
  text(text: string): string
  /** @param most Returns only so many bytes, and reads no more than it must: all by default. */
  bytes(body: Uint8Array, most?: number): Uint8Array
}

/**
 * @param secrets Hidden everywhere and in every usual spelling, in case a sender or the app put one into a body.
 * @param signatureHeaders The headers of the listener's scheme, in lower case.
 * @param idHeaders Those that name an event, e.g. `i-twilio-idempotency-token`. They hold no secret.
 */
export function maskFor(
  secrets: Iterable<string>,
  signatureHeaders: readonly string[],
  idHeaders: readonly string[] = [],
): Mask {
  const known = new Map<string, readonly string[]>()
  const spelled = (secret: string) => {
    const spellings = known.get(secret) ?? spellingsOf(secret)
    known.set(secret, spellings)
    return spellings
  }
  const isLong = (secret: string) => secret.length >= SHORTEST_SECRET
  const hidden = () => [...secrets].flatMap(withBare).filter(isLong).flatMap(spelled) // anew: there may be more
  const text = (given: string) =>
    hidden().reduce((rest, secret) => rest.replaceAll(secret, '(the secret)'), given)
  const isHidden = (name: string) =>
    signatureHeaders.includes(name.toLowerCase()) ||
    (isSensitive(name) && !idHeaders.includes(name.toLowerCase()))
  return {
    text,
    headers: (headers) =>
      headers.map(
        ([name, value]) => [text(name), isHidden(name) ? hideValue(name, value) : text(value)] as const,
      ),
    bytes(body, most = body.length) {
      const all = hidden()
      const longest = Math.max(0, ...all.map((secret) => Buffer.byteLength(secret)))
      const read = body.subarray(0, most + longest) // a secret may lie across the end
      const bytes = Buffer.from(read.buffer, read.byteOffset, read.length)
      const found = all.filter((secret) => bytes.includes(secret))
      return found.reduce((rest, secret) => withStars(rest, Buffer.from(secret)), read).subarray(0, most)
    },
  }
}

/** A secret of Standard Webhooks may be shown without its prefix and padding. */
const withBare = (secret: string) => [secret, secret.replace(/^(?:v1,)?whsec_/, '').replace(/=+$/, '')]

export function isSensitive(name: string): boolean {
  return SENSITIVE.test(name)
}

const standIn = (length: number) => `(${length} characters hidden)`

/** Whether a part of a header is hidden, as in an export. */
export const isMasked = (value: string): boolean => /\([0-9]+ characters hidden\)/.test(value)

function hideValue(name: string, value: string): string {
  const masked = SECRET_LIST.test(name) ? value : value.replace(LONG_RUN, hideRun)
  return masked === value && value !== '' ? standIn(value.length) : masked
}

/** Keeps a label such as `v1=` or `sha256=`. */
function hideRun(run: string): string {
  const [label = ''] = /^[A-Za-z0-9]{1,8}=(?=.)/.exec(run) ?? []
  return label + standIn(run.length - label.length)
}

function withStars(body: Uint8Array, secret: Uint8Array): Uint8Array {
  const copy = Buffer.from(body)
  for (let at = copy.indexOf(secret); at !== -1; at = copy.indexOf(secret, at + secret.length)) {
    copy.fill('*', at, at + secret.length)
  }
  return copy
}

/** A delivery that is safe to show: signatures, tokens and secrets are hidden. */
export function masked(delivery: Inspected, mask: Mask): Inspected {
  const { app, headers, body, path, detail, eventId, eventType } = delivery
  return {
    ...delivery,
    path: mask.text(withoutQuery(path)),
    detail: detail === null ? null : mask.text(detail),
    eventId: eventId === null ? null : mask.text(eventId),
    eventType: eventType === null ? null : mask.text(eventType),
    headers: mask.headers(headers),
    body: mask.bytes(body),
    app: app && { ...app, headers: mask.headers(app.headers), body: mask.bytes(app.body) },
  }
}

/** A handshake's query may hold the verify token. */
function withoutQuery(path: string): string {
  const at = path.indexOf('?')
  return at === -1 ? path : `${path.slice(0, at)}?…`
}
