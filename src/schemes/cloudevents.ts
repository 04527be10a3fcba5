import type { Evidence } from '../auth/evidence.ts'
import { namedSecrets, secretText } from '../auth/secrets.ts'
import { fieldText, headerOf } from '../delivery.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { textAt } from '../lib/json.ts'
import { type OptionCheck, optional } from '../lib/options.ts'
import { fail, mismatch } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  emptyReply,
  type HandshakeForm,
  type SchemeOptions,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { queryOf } from './kit/handshake-answers.ts'
import { holderOf } from './kit/keys.ts'

/** The options of `cloudevents`. */
export interface CloudeventsOptions extends SharedSecretOptions {
  /**
   * The origins that may ask for consent in `WebHook-Request-Origin`, e.g. `eventgrid.azure.net`. Defaults to any.
   * Deliveries need the token in either case.
   */
  readonly allowedOrigins?: readonly string[] | undefined
}

const ORIGIN = /^[A-Za-z0-9.*:_-]{1,255}$/
const BEARER = /^bearer /i
const STRUCTURED = /^application\/cloudevents\+/i
const BATCH = /^application\/cloudevents-batch\+/i

/** @throws ListenerConfigError */
const origins: OptionCheck = (value, option) => {
  const isOrigin = (each: unknown) => typeof each === 'string' && ORIGIN.test(each)
  if (Array.isArray(value) && value.length > 0 && value.every(isOrigin)) return
  throw new ListenerConfigError(option, 'must be a list of names like eventgrid.azure.net')
}

/** Answers the OPTIONS request with which a sender asks for consent. */
const CONSENT: HandshakeForm = {
  signed: false,
  answer({ method, header }, { allowedOrigins }: CloudeventsOptions & SchemeOptions) {
    const origin = method === 'OPTIONS' ? header('webhook-request-origin') : undefined
    if (origin === undefined) return undefined
    const isAllowed = ORIGIN.test(origin) && (allowedOrigins?.includes(origin) ?? true)
    const consent = { 'webhook-allowed-origin': origin, 'webhook-allowed-rate': '*' }
    return isAllowed ? emptyReply(200, { allow: 'POST', ...consent }) : emptyReply(403)
  },
}

const CLOUDEVENTS: CodeScheme = {
  name: 'cloudevents',
  sender: 'CloudEvents',
  secretName: 'token of the subscription',
  secretMadeBy: 'user',
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: [],
  covers: 'token',
  dedupe: 'signed-bytes',
  eventId: { header: 'ce-id' },
  eventType: { header: 'ce-type' },
  handshake: CONSENT,
  maxBodyBytes: 1_048_576,
  sign: ({ need }) => ({ headers: { authorization: `Bearer ${need('secret')}` } }),
  facts: {
    unsigned:
      'a sender of CloudEvents authorises itself only if its subscription says so: let it send the token as Authorization: Bearer',
  },
  limits:
    'Nothing is signed: the token only identifies the caller, and anyone who has seen it can forge deliveries.',
}

/**
 * An event's ID is unique only within its source. ID, source and type are headers in binary mode, and members in structured
 * mode. A batch has no type.
 */
function identify(evidence: Evidence): void {
  const contentType = `${headerOf(evidence.delivery, 'content-type')}`
  const isStructured = STRUCTURED.test(contentType)
  if (isStructured || BATCH.test(contentType)) evidence.eventTypeText = ''
  const find = (name: string) =>
    isStructured ? textAt(evidence.keepParsed(), [name]) : headerOf(evidence.delivery, `ce-${name}`)
  const [id, source, type] = [find('id'), find('source'), find('type')]
  if (isStructured && typeof type === 'string') evidence.eventTypeText = type
  if (typeof id !== 'string' || typeof source !== 'string') return
  evidence.eventIdText = id
  evidence.signed = { before: '', body: encodeUtf8(JSON.stringify([source, id])), after: '' }
}

/**
 * Verifies CloudEvents over HTTP webhooks, with a token that you agree on with the sender. The token is in `Authorization`,
 * with or without `Bearer`, or in the URL as `access_token`, which ends up in logs. Nothing is signed, and anyone who has seen
 * the token can send anything, so add `allowedCidrs`.
 *
 * Events are claimed by their source and ID together, batches by their bodies. Data must be JSON. `event.type` is
 * the event's `type`, and undefined for a batch. The OPTIONS request that asks for consent is answered for you.
 *
 * `event.payload` is the data in binary mode, the whole event in structured mode, and the list of events in a batch. In the type
 * argument, the name of a batch is empty: `cloudevents<{ 'com.example.paid': Paid; '': readonly Paid[] }>(…)`.
 *
 * @example
 * ```ts
 * const auth = cloudevents({
 *   secrets: process.env.CLOUDEVENTS_TOKEN,
 *   allowedOrigins: ['eventgrid.azure.net'],
 * })
 * ```
 */
export const cloudevents: CodeSchemeFactory<CloudeventsOptions, 'ce-type'> = defineCodeScheme(
  CLOUDEVENTS,
  { ...SHARED_SECRET_OPTIONS, allowedOrigins: /* @__PURE__ */ optional(origins) },
  ({ secrets }, authBy) => {
    const known = namedSecrets(secrets, 'secrets', secretText)
    return (evidence) => {
      const inHeader = fieldText(evidence.delivery, 'authorization')
      const inUrl = queryOf(evidence.delivery)('access_token')
      const token = inHeader ?? inUrl
      if (token === undefined) return fail('auth_missing', 'no Authorization, and no access_token')
      if (inHeader !== undefined && inUrl !== undefined)
        return fail('signature_mismatch', 'more than one token')
      const holder = holderOf(known, token) ?? holderOf(known, token.replace(BEARER, ''))
      if (holder === undefined) return mismatch('the token is none of the secrets')
      identify(evidence)
      return authBy(holder)
    }
  },
)
