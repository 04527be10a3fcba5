import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { type Delivery, defineListener, type Listener, type Verdict, verify } from '../../src/index.ts'
import { jwt, type KeySet, localKeySet, type RemoteKeySetOptions, remoteKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { type KeyHost, type KeyHostAnswer, keyHost } from './key-host.ts'
import { compactToken, type SigningKey } from './keys.ts'

export const SUBJECT = 'https://tenant.example'
export const AUDIENCE = 'https://tenant.example/api/v1/webhooks/incoming/L1'
export const BODY = '{"a":1}'

type Members = { readonly [member: string]: unknown }

/** How a delivery differs from a valid one. */
export interface Sending {
  readonly key?: SigningKey
  readonly body?: string
  readonly eventId?: string
  /** Members to add to the token's header or to replace. Undefined removes one. */
  readonly header?: Members
  readonly claims?: Members
  /** Rewrites the JSON texts before they are signed. */
  readonly headerText?: (json: string) => string | Uint8Array
  readonly payloadText?: (json: string) => string | Uint8Array
  readonly signer?: (input: string) => Uint8Array
  /** Rewrites the signed token. */
  readonly token?: (compact: string) => string
  /** Rewrites the whole header. Undefined removes it, an array repeats it. */
  readonly authorization?: (token: string) => string | readonly string[] | undefined
  readonly headers?: { readonly [name: string]: string }
}

export interface JwtSender {
  readonly listener: Listener
  readonly clock: FakeClock
  /** A delivery, valid except for `sending`. */
  deliver(sending?: Sending): Delivery
  /** Delivers and verifies. */
  send(sending?: Sending): Promise<Verdict>
}

/** A JWT listener on a fake clock, and a sender that holds `key`. */
export function jwtSender(
  key: SigningKey,
  { clock = fakeClock(), keySet, id = 'L1' }: { clock?: FakeClock; keySet?: KeySet; id?: string } = {},
): JwtSender {
  const listener = defineListener({
    id,
    auth: jwt({
      keySet: keySet ?? localKeySet({ keys: [key.publicKey] }),
      subject: SUBJECT,
      audience: AUDIENCE,
    }),
    store: memoryStore({ clock, maxRecords: 1000 }),
    clock,
  })
  const deliver = (sending: Sending = {}) => makeDelivery(sending.key ?? key, clock, sending)
  return { listener, clock, deliver, send: (sending) => verify(deliver(sending), listener) }
}

function makeDelivery(key: SigningKey, clock: FakeClock, sending: Sending): Delivery {
  const { body = BODY, eventId = crypto.randomUUID() } = sending
  const token = makeToken(key, clock, { ...sending, body, eventId })
  const authorization = sending.authorization ? sending.authorization(token) : `Bearer ${token}`
  const headers: { readonly [name: string]: string | readonly string[] | undefined } = {
    'content-type': 'application/json',
    'webhook-timestamp': `${clock.seconds()}`,
    'webhook-event-id': eventId,
    authorization,
    ...sending.headers,
  }
  return {
    method: 'POST',
    header: (name) => headers[name],
    body: Buffer.from(body),
    sourceIp: undefined,
  }
}

function makeToken(key: SigningKey, clock: FakeClock, sending: Sending & { body: string; eventId: string }) {
  const header = { alg: key.algorithm, kid: key.keyId, typ: 'JWT', ...sending.header }
  const claims = {
    sub: SUBJECT,
    aud: AUDIENCE,
    exp: clock.seconds() + 300,
    jti: sending.eventId,
    htm: 'POST',
    htb_s256: bodyHash(sending.body),
    ...sending.claims,
  }
  const same = (json: string) => json
  const { headerText = same, payloadText = same, signer = key.sign, token = same } = sending
  return token(compactToken(headerText(JSON.stringify(header)), payloadText(JSON.stringify(claims)), signer))
}

/** The right value of `htb_s256`. */
export function bodyHash(body: string): string {
  return createHash('sha256').update(body).digest('base64url')
}

/** A refusal with 401 `token_invalid` and exactly this detail, because many causes share the reason. */
export function invalid(detail: RegExp | string) {
  return {
    ok: false,
    status: 401,
    reason: 'token_invalid',
    detail: typeof detail === 'string' ? detail : expect.stringMatching(detail),
  }
}

export const ACCEPTED = { ok: true }
export const MISSING = { ok: false, status: 401, reason: 'auth_missing' }
export const EXPIRED = { ok: false, status: 401, reason: 'token_expired' }

/** A JWT listener whose keys come from a real local server, on the same fake clock. */
export async function remoteSender(
  key: SigningKey,
  answer: KeyHostAnswer,
  options: RemoteKeySetOptions = {},
): Promise<JwtSender & { host: KeyHost; keySet: KeySet }> {
  const clock = fakeClock()
  const host = await keyHost(answer)
  const keySet = remoteKeySet(host.url, { allowInsecureLoopback: true, clock, fetch: host.fetch, ...options })
  return { ...jwtSender(key, { clock, keySet }), host, keySet }
}

/** Undecided: 503 with Retry-After. */
export function unavailable(message: RegExp, retryAfterSeconds: unknown = expect.any(Number)) {
  return {
    name: 'KeySetError',
    code: 'ERR_KEY_SET',
    message: expect.stringMatching(message),
    retryAfterSeconds,
  }
}
