import { CodedError } from '../errors.ts'
import { decodeBase64 } from '../lib/bytes.ts'
import type { Envelope, EnvelopeAuth } from './envelope.ts'

/** Thrown if a job's data is not an envelope. */
export class EnvelopeError extends CodedError<'ERR_ENVELOPE'> {
  constructor(problem: string) {
    super('EnvelopeError', 'ERR_ENVELOPE', `fromEnvelope: ${problem}`)
  }
}

/**
 * The verified event that a job handles. It has no `commit` or `release`, because the event was settled with
 * the request.
 */
export interface HandedOffEvent {
  /** Same as `event.id`. Queues retry, so make the job idempotent with this as the key. */
  readonly id: string
  /** The sender's name for what happened. Undefined if its scheme has none. */
  readonly type: string | undefined
  /** The `id` of the listener that accepted it. */
  readonly listenerId: string
  /** When the sender says it sent this. */
  readonly sentAt: Date
  /** How the sender was authenticated, without a token's claims. */
  readonly auth: EnvelopeAuth
  /** The members of this event that the signature does not cover. Often empty. */
  readonly unsigned: readonly ('id' | 'type' | 'sentAt')[]
  /** The exact bytes of the body. */
  readonly rawBody: Uint8Array
}

const UNSIGNED: readonly unknown[] = ['id', 'type', 'sentAt']
const COVERAGE: readonly unknown[] = ['body', 'values', 'token', 'nothing']

const isText = (value: unknown): value is string => typeof value === 'string'
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** What `auth` must contain besides its `method`. */
const AUTH: {
  readonly [Method in EnvelopeAuth['method']]: (auth: Readonly<Record<string, unknown>>) => boolean
} = {
  hmac: ({ secretId }) => isText(secretId),
  jwt: ({ keyId }) => isText(keyId),
  scheme: ({ scheme, secretId, covers }) => isText(scheme) && isText(secretId) && COVERAGE.includes(covers),
  api: ({ scheme }) => isText(scheme),
}

const MEMBERS: { readonly [Name in keyof Envelope]-?: (value: unknown) => boolean } = {
  v: (value) => value === 1,
  id: isText,
  type: (value) => value === undefined || isText(value),
  listenerId: isText,
  sentAt: (value) => isText(value) && !Number.isNaN(Date.parse(value)),
  auth: (value) => isObject(value) && isMethod(value.method) && AUTH[value.method](value),
  unsigned: (value) =>
    value === undefined || (Array.isArray(value) && value.every((name) => UNSIGNED.includes(name))),
  bodyBase64: isText,
}

function isMethod(value: unknown): value is EnvelopeAuth['method'] {
  return isText(value) && Object.hasOwn(AUTH, value)
}

/**
 * Unpacks what `toEnvelope` packed. Checks the layout, not the origin: anyone who can write to the queue can forge an
 * envelope.
 *
 * @example
 * ```ts
 * const { id, rawBody } = fromEnvelope(job.data)
 * await saveOrder(id, JSON.parse(new TextDecoder().decode(rawBody)))
 * ```
 *
 * @param json The envelope as your queue returns it, parsed from JSON.
 * @throws EnvelopeError with the code `ERR_ENVELOPE` if `json` is not an envelope of version 1. The message names the member and
 * never shows its value.
 */
export function fromEnvelope(json: unknown): HandedOffEvent {
  checkEnvelope(json)
  const { id, type, listenerId, sentAt, auth, unsigned = [] } = json
  const rawBody = decodeBase64(json.bodyBase64)
  if (rawBody === undefined) throw malformed('bodyBase64')
  return { id, type, listenerId, sentAt: new Date(sentAt), auth, unsigned, rawBody }
}

function checkEnvelope(json: unknown): asserts json is Envelope {
  if (!isObject(json)) {
    throw new EnvelopeError('pass the result of toEnvelope(), parsed from JSON')
  }
  for (const [name, fits] of Object.entries(MEMBERS)) if (!fits(json[name])) throw malformed(name)
}

function malformed(member: string): EnvelopeError {
  return new EnvelopeError(`${member} is missing or malformed: pass the result of toEnvelope(), unchanged`)
}
