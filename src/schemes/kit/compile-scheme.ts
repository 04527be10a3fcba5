import type { AuthenticEvidence, Evidence } from '../../auth/evidence.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import { headerOf } from '../../delivery.ts'
import { type Claimed, keysOf } from '../../event-key.ts'
import { exactTextAt, memberAt, pointerSteps, textAt } from '../../lib/json.ts'
import { parseCount, type parseTime, timeOfMember } from '../../lib/time.ts'
import type { CompiledScheme } from '../../protocol.ts'
import { STATUS, type Statuses } from '../../reason.ts'
import type { Coverage, Dedupe, SchemeOptions, TimeForm, ValueLocation } from '../../scheme.ts'
import { bodyReaders, type FormReaders, mediaTypesOf, typeHeader } from './body.ts'
import type { handshakeAnswers } from './handshake-answers.ts'
import type { PreAuthBody } from './pre-auth-body.ts'
import { MOST_FIELDS } from './read-limits.ts'
import { idDividerOf, signedBytes, signedNames } from './signed-text.ts'

const LONGEST_TYPE = 256

/** Most senders retry a 409, and some then disable the endpoint. */
const SENDER_STATUS: Statuses = { ...STATUS, method_not_post: 405, event_duplicate: 200 }

/** Code that few rows need. A row brings its own, so that other senders' bundles lack it. */
export interface CompileParts {
  /** `PRE_AUTH_BODY`, for a row that reads the body to authenticate it. */
  readonly preAuth?: PreAuthBody
  /** `FORMS`, for a row with forms. */
  readonly forms?: FormReaders
  /** `handshakeAnswers`, for a row with a handshake. */
  readonly handshakes?: typeof handshakeAnswers
  /** `parseTime`, for a row whose time is a date. */
  readonly dates?: typeof parseTime
}

/** Compiles what the checks need of a scheme. */
export function compileScheme(
  scheme: SenderScheme,
  options: SchemeOptions,
  { preAuth, forms, handshakes, dates }: CompileParts = {},
): CompiledScheme {
  const { content = ['json'], eventId, eventType, jsonField, maxFields = MOST_FIELDS, timestamp } = scheme
  const names = signedNames(scheme)
  const timestampHeader = headerIn(timestamp)
  const eventIdHeader = headerIn(eventId)
  const dedupe = options.dedupe ?? dedupeOf(scheme)
  const typeOf = typeReader(eventType)
  const claimedOf = claimReader(scheme, options, dedupe, typeOf)
  return {
    scheme,
    options,
    sender: scheme.sender,
    order: 'authenticate first',
    statuses: SENDER_STATUS,
    maxBodyBytes: scheme.maxBodyBytes,
    retentionSeconds: scheme.algorithm === 'code' ? scheme.retentionSeconds : undefined,
    leaseSeconds: scheme.leaseSeconds,
    maxRunSeconds: scheme.maxRunSeconds,
    methods: scheme.methods ?? ['POST'],
    headers: given(timestampHeader, eventIdHeader, typeHeader(content), 'content-encoding'),
    required: given(timestampHeader, names.includes('id') ? eventIdHeader : undefined).length,
    hintOn: hintReader(scheme),
    timestampHeader,
    dateHeader: timestamp?.unit === 'http-date' ? timestampHeader : undefined,
    eventIdHeader,
    dedupe,
    unsigned: unsignedMembers(scheme),
    readerFor: bodyReaders(content, jsonField, forms, preAuth?.read),
    mediaTypes: content.flatMap(mediaTypesOf),
    wrongContent: 'content_type_not_accepted',
    preAuth: { maxFields, selection: preAuth?.selectionOf(scheme, names) },
    time: timestamp,
    timeOf: timeReader(timestamp, dates),
    idOf: idReader(eventId),
    idIsUuid: false,
    idDivider: idDividerOf(scheme),
    bodiesRepeat: scheme.bodiesRepeat,
    typeOf,
    keysOf: (evidence, id) => keysOf(claimedOf(evidence, id)),
    ...forms?.ofQuery,
    ...preAuth?.within(maxFields),
    ...handshakes?.(scheme, options),
  }
}

const given = (...names: readonly (string | undefined)[]) => names.filter((name) => name !== undefined)

/** The header that holds a value. Undefined if it is elsewhere, or nowhere. */
export function headerIn(place: ValueLocation | undefined): string | undefined {
  return place && 'header' in place ? place.header : undefined
}

/**
 * Whether the signature covers a place. It covers a member if it covers the body, a header if the template names it,
 * and an item always.
 */
function isCovered(scheme: SenderScheme, place: ValueLocation | undefined): boolean {
  if (place === undefined || !isAnythingSigned(scheme)) return false
  const names = signedNames(scheme)
  if ('member' in place) return names.includes('body') || names.includes(place.member)
  return 'item' in place || names.includes('id')
}

/**
 * Never uses an unsigned ID as the only key, unless nothing is signed at all. Then only genuine retries can be
 * recognised.
 */
export function dedupeOf(scheme: SenderScheme): Dedupe {
  const { algorithm, dedupe, eventId, timestamp, topics } = scheme
  if (dedupe !== undefined) return dedupe
  if (topics !== undefined) return 'signed-bytes-per-topic'
  if (eventId === undefined) return 'signed-bytes'
  if (algorithm === 'token' || isCovered(scheme, eventId)) return 'id'
  return timestamp?.of === 'attempt' ? 'signed-bytes-and-id' : 'signed-bytes'
}

/** What a signature of the scheme covers. */
export function coverageOf({ covers, algorithm, signs }: SenderScheme): Coverage {
  if (covers !== undefined) return covers
  if (algorithm === 'token') return 'token'
  return typeof signs === 'function' || signs.includes('{body}') ? 'body' : 'values'
}

/** False if the sender only identifies itself, by a token or not at all. */
export function isAnythingSigned(scheme: SenderScheme): boolean {
  const covers = coverageOf(scheme)
  return covers !== 'token' && covers !== 'nothing'
}

/** Whether the sender signs with a private key, and receivers have the public one. */
export function hasKeyPair(scheme: SenderScheme): boolean {
  const { algorithm } = scheme
  return algorithm === 'code' ? scheme.hasKeyPair === true : /^(?:ed|ecdsa|rsa)/.test(algorithm)
}

/** Whether the URL is signed, as far as the row says. Code may sign what a delivery asks for. */
export function signsUrl(scheme: SenderScheme): boolean {
  if (scheme.algorithm === 'code') return scheme.signs.includes('url')
  return scheme.takes?.includes('publicUrl') === true || String(scheme.signs).includes('{url}')
}

/**
 * Whether a sender that signs its URL, or writes its signature there, may add a query to it. Code decides itself: RFC 9421 signs what
 * the sender chooses.
 */
export function maySignQuery(scheme: SenderScheme): boolean {
  return scheme.algorithm === 'code' || signsUrl(scheme) || scheme.signature.query !== undefined
}

/**
 * What an event says that nobody has signed: an ID or a type outside of what the signature covers. If nothing is signed, also
 * the time, and an ID that is derived from the body.
 */
export function unsignedMembers(scheme: SenderScheme): CompiledScheme['unsigned'] {
  const { eventId, eventType, timestamp } = scheme
  const isNothing = !isAnythingSigned(scheme)
  return [
    ...(isNothing || (eventId && !isCovered(scheme, eventId)) ? (['id'] as const) : []),
    ...(eventType && !('member' in eventType && isCovered(scheme, eventType)) ? (['type'] as const) : []),
    ...(isNothing && timestamp ? (['sentAt'] as const) : []),
  ]
}

function timeReader(time: TimeForm | undefined, parse = parseCount): (evidence: Evidence) => number {
  const unit = time?.unit ?? 'seconds'
  if (time === undefined || !('member' in time)) return timeOfText
  const steps = pointerSteps(time.member)
  if (time.asText) return ({ payload }) => parse(unit, textAt(payload, steps) ?? '')
  return ({ payload }) => timeOfMember(unit, memberAt(payload, steps), parse)

  function timeOfText({ timestampText }: Evidence): number {
    return parse(unit, timestampText)
  }
}

function idReader(place: ValueLocation | undefined): (evidence: AuthenticEvidence) => string {
  if (place === undefined || !('member' in place)) return ({ eventIdText }) => eventIdText
  const steps = pointerSteps(place.member)
  return idOf

  function idOf({ payload, delivery }: AuthenticEvidence): string {
    const id = textAt(payload, steps)
    if (id !== undefined) return id
    return (typeof memberAt(payload, steps) === 'number' && exactTextAt(delivery.body, steps)) || ''
  }
}

/** Says when the sender does not sign, if a delivery has no signature, and where its other formats are chosen. */
function hintReader({ facts = {}, signature }: SenderScheme): CompiledScheme['hintOn'] {
  return ({ reason, isCause }, delivery) => {
    const isMissing = reason.endsWith('_missing') && !isCause
    const isUnsigned = isMissing && signature.headers.every((header) => !headerOf(delivery, header))
    const hint = isUnsigned ? facts.unsigned : reason === 'content_type_not_accepted' && facts.otherFormats
    return hint ? `: ${hint}` : ''
  }
}

/**
 * What an event is claimed by: first the signed bytes, then the ID. An event without an ID is claimed by the signed bytes. A
 * known topic joins both. Others do not, because nobody has signed them.
 */
function claimReader(
  scheme: SenderScheme,
  options: SchemeOptions,
  dedupe: Dedupe,
  typeOf: CompiledScheme['typeOf'],
): (evidence: AuthenticEvidence, id: string) => readonly Claimed[] {
  const { topics = [] } = dedupe === 'signed-bytes' ? {} : scheme
  const known = new Set(topics.concat(options.topics ?? []))
  return claimedOf

  function claimedOf(evidence: AuthenticEvidence, id: string): readonly Claimed[] {
    const type = topics.length > 0 ? typeOf(evidence) : undefined
    const topic = type !== undefined && known.has(type) ? `${type}\n` : ''
    const claimedId = scheme.claimedId?.(id, evidence) || id
    const claimed: Claimed[] = []
    if (id === '' || dedupe.startsWith('signed-bytes')) claimed.push(signedBytes(evidence, topic))
    if (claimedId !== '' && dedupe.endsWith('id')) claimed.push(topic + claimedId)
    return claimed
  }
}

function typeReader(place: ValueLocation | undefined): (evidence: Evidence) => string | undefined {
  if (place === undefined || 'item' in place) return () => undefined
  const steps = 'member' in place ? pointerSteps(place.member) : undefined
  return ({ delivery, eventTypeText, payload }) => {
    const found = 'member' in place ? textAt(payload, steps ?? []) : headerOf(delivery, place.header)
    const type = eventTypeText === undefined ? found : eventTypeText || undefined
    return typeof type === 'string' && type.length <= LONGEST_TYPE ? type : undefined
  }
}
