import type { AuthenticEvidence, Evidence } from './auth/evidence.ts'
import { type BodyFormat, type ParseResult, readJson } from './body.ts'
import type { SenderScheme } from './code-scheme.ts'
import type { Delivery } from './delivery.ts'
import type { ClaimedEvent } from './event.ts'
import type { MaybePromise } from './lib/maybe-promise.ts'
import { parseSeconds } from './lib/time.ts'
import { MAX_BODY_BYTES, TOLERANCE_SECONDS } from './limits.ts'
import { type Failure, type Reason, STATUS, type Statuses } from './reason.ts'
import type { HandshakeAnswer } from './reply.ts'
import type { Dedupe, SchemeOptions, TimeForm } from './scheme.ts'
import { EVENT_ID_HEADER, TIMESTAMP_HEADER } from './specification.ts'

/**
 * What deliveries look like, and how they are answered, compiled for the checks. They ask this instead of who the sender is.
 * `defineListener` resolves it: the scheme of the sender, or else hookgate's own.
 */
export interface Protocol extends BodyFormat {
  /** The sender, as sentences name it. */
  readonly sender: string
  /** The row that it was compiled from. Undefined for hookgate's scheme. */
  readonly scheme?: SenderScheme | undefined
  /** The options that the user passed to the sender's scheme. */
  readonly options?: SchemeOptions | undefined
  /** Whether the checks read the body before they authenticate it, or after. `verify.ts` has both orders. */
  readonly order: 'read first' | 'authenticate first'
  /** The status of each refusal. */
  readonly statuses: Statuses
  /** A 401 has no body. */
  readonly bareUnauthorized?: boolean | undefined
  /** The `WWW-Authenticate` header of a 401 (RFC 9110 11.6.1), if the authentication method has one. */
  readonly challenge?: string | undefined
  /** The limits of a listener that sets none itself. What is missing is as for every other sender. */
  readonly maxBodyBytes: number
  readonly retentionSeconds?: 'replay-window' | undefined
  readonly leaseSeconds?: number | undefined
  readonly maxRunSeconds?: number | undefined
  /** The methods of deliveries. */
  readonly methods: readonly string[]
  /** The headers that the checks read, by lower-case name, without the signature's. None may be repeated. Required ones come first. */
  readonly headers: readonly string[]
  /** How many of the headers are required. */
  readonly required: number
  /** What is known of a refusal besides its detail, and follows it, for the operator. */
  readonly hintOn: (refusal: Failure<Reason>, delivery: Delivery) => string
  /** The header with the time. Undefined if the time is elsewhere, or if there is none. */
  readonly timestampHeader: string | undefined
  /** The same header, if the time is an HTTP date. */
  readonly dateHeader?: string | undefined
  /** The header with the event ID. Undefined if the ID is elsewhere, or if there is none. */
  readonly eventIdHeader: string | undefined
  /** Reads the payload of a GET. Undefined in hookgate's scheme. */
  readonly readQuery?: ((delivery: Delivery) => ParseResult) | undefined
  /** What a GET has as its raw body. Undefined in hookgate's scheme. */
  readonly queryBytes?: ((delivery: Delivery) => Uint8Array) | undefined
  /** The media types of deliveries, for the detail about another one. */
  readonly mediaTypes: readonly string[]
  /** The reason for any other content type. */
  readonly wrongContent: 'content_type_not_json' | 'content_type_not_accepted'
  /** How the time is written. Undefined if there is none. */
  readonly time: TimeForm | undefined
  /** The time, in seconds since 1970. NaN if missing or malformed. */
  readonly timeOf: (evidence: Evidence) => number
  /** The ID. Empty if the delivery has none. */
  readonly idOf: (evidence: AuthenticEvidence) => string
  /** Whether IDs must be version 4 UUIDs. */
  readonly idIsUuid: boolean
  /** The text after the ID in the signed text, which no signed ID may contain. */
  readonly idDivider: string
  /** The store keys of an event with this ID, which may be empty. Call it only after verification. */
  readonly keysOf: (evidence: AuthenticEvidence, id: string) => MaybePromise<readonly string[]>
  /** What identifies an event. */
  readonly dedupe: Dedupe
  /** Genuine bodies repeat, so an event without an ID claims nothing. */
  readonly bodiesRepeat?: boolean | undefined
  /** How long an event is remembered, in milliseconds, if not as long as the listener says: never longer. */
  readonly retentionOf?: ((evidence: Evidence) => number | undefined) | undefined
  /** The same protocol, with the names of the headers that a delivery has. Undefined if the sender has one family of headers. */
  readonly forDelivery?: ((delivery: Delivery) => Protocol) | undefined
  /** The sender's name for what happened. Undefined if the delivery has none. */
  readonly typeOf: (evidence: Evidence) => string | undefined
  /** The members of the event that the signature does not cover. Undefined in hookgate's scheme. */
  readonly unsigned: ClaimedEvent['unsigned']
  /** Answers a handshake that nobody signs, before the headers are checked. */
  readonly answerOpen?: HandshakeAnswerer | undefined
  /** Answers a handshake that is signed, after authentication. */
  readonly answerSigned?: HandshakeAnswerer | undefined
}

/** Undefined if the request is no handshake. `tells`: whether `onHandshake` hears of it. */
export type HandshakeAnswerer = (evidence: Evidence, tells?: boolean) => HandshakeAnswer

/** hookgate's own scheme. docs/specification.md defines it. */
export const SPECIFICATION: Protocol = {
  sender: 'the sender',
  order: 'read first',
  statuses: STATUS,
  maxBodyBytes: MAX_BODY_BYTES,
  methods: ['POST'],
  headers: ['content-type', TIMESTAMP_HEADER, EVENT_ID_HEADER, 'content-encoding'],
  required: 3,
  // E.g. Stripe sends none of them.
  hintOn: ({ reason }) =>
    reason === 'header_missing' ? '; for another sender import its hookgate/schemes/<name>' : '',
  timestampHeader: TIMESTAMP_HEADER,
  eventIdHeader: EVENT_ID_HEADER,
  readerFor: (mediaType = 'application/json') => (mediaType === 'application/json' ? readJson : undefined),
  mediaTypes: ['application/json'],
  wrongContent: 'content_type_not_json',
  time: { header: TIMESTAMP_HEADER, unit: 'seconds', of: 'attempt', toleranceSeconds: TOLERANCE_SECONDS },
  timeOf: ({ timestampText }) => parseSeconds(timestampText),
  // RFC 9562 allows either case, so a captured token could otherwise be replayed under each spelling.
  idOf: ({ eventIdText }) => eventIdText.toLowerCase(),
  idIsUuid: true,
  idDivider: '',
  keysOf: (_evidence, id) => [id],
  dedupe: 'id',
  typeOf: () => undefined,
  unsigned: undefined,
}

/** Another sender's scheme, compiled. `senderAuthenticator` of `hookgate/schemes` makes one. */
export interface CompiledScheme extends Protocol {
  /** The row that it was compiled from. */
  readonly scheme: SenderScheme
  /** The options that the user passed. */
  readonly options: SchemeOptions
  /** The members of the event that the signature does not cover. */
  readonly unsigned: NonNullable<ClaimedEvent['unsigned']>
}

/** The protocol of a listener with this `auth`, resolved once. */
export function protocolOf({
  protocol = SPECIFICATION,
  challenge,
}: {
  readonly protocol?: Protocol | undefined
  readonly challenge?: string | undefined
}): Protocol {
  return challenge === undefined ? protocol : { ...protocol, challenge }
}
