import type { Evidence } from '../src/auth/evidence.ts'
import { namedSecrets, secretText } from '../src/auth/secrets.ts'
import { headerOf } from '../src/delivery.ts'
import { ListenerConfigError } from '../src/errors.ts'
import { fail } from '../src/failure.ts'
import { type OptionCheck, optional } from '../src/lib/options.ts'
import type { CodeScheme } from '../src/scheme/code-scheme.ts'
import { type CodeSchemeFactory, defineCodeScheme, vouchedBy } from '../src/scheme/define-code-scheme.ts'
import { queryOf } from '../src/scheme/handshake-request.ts'
import { emptyReply, type Handshake } from '../src/scheme/index.ts'
import { textAt } from '../src/scheme/members.ts'
import { SHARED_SECRET_OPTIONS, type SharedSecretOptions } from '../src/scheme/options.ts'
import type { SchemeOptions } from '../src/scheme/scheme-options.ts'
import { holderOf } from '../src/scheme/token-keys.ts'

/**
 * What `cloudevents` takes.
 *
 * @see {@link cloudevents}
 */
export interface CloudeventsOptions extends SharedSecretOptions {
  /** Who may ask to send here, by `WebHook-Request-Origin`: `eventgrid.azure.net`. Default: anyone. The token is needed all the same. */
  readonly allowedOrigins?: readonly string[] | undefined
}

const ORIGIN = /^[A-Za-z0-9.*:_-]{1,255}$/
const BEARER = /^bearer /i
const STRUCTURED = /^application\/cloudevents\+/i
const encoder = new TextEncoder()

/** @throws ListenerConfigError */
const origins: OptionCheck = (value, option) => {
  const isOrigin = (each: unknown) => typeof each === 'string' && ORIGIN.test(each)
  if (Array.isArray(value) && value.length > 0 && value.every(isOrigin)) return
  throw new ListenerConfigError(option, 'must be a list of names like eventgrid.azure.net')
}

/** The OPTIONS request by which a sender asks whether it may send here. */
const CONSENT: Handshake = {
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
  algorithm: 'code',
  signature: { headers: ['authorization'] },
  signs: [],
  covers: 'token',
  dedupe: 'signed bytes',
  eventId: { header: 'ce-id' },
  eventType: { header: 'ce-type' },
  handshake: CONSENT,
  maxBodyBytes: 1_048_576,
  sign: ({ need }) => ({ headers: { authorization: `Bearer ${need('secret')}` } }),
  limits:
    'Nothing is signed: the token vouches for the caller alone, and anyone who has seen it can make deliveries up.',
}

/** An event's ID counts within its source. In binary mode both are headers, in structured mode members. */
function claim(evidence: Evidence): void {
  const isStructured = STRUCTURED.test(`${headerOf(evidence.delivery, 'content-type')}`)
  const find = (name: string) =>
    isStructured ? textAt(evidence.parsed(), [name]) : headerOf(evidence.delivery, `ce-${name}`)
  const [id, source] = [find('id'), find('source')]
  if (typeof id !== 'string' || typeof source !== 'string') return
  evidence.eventIdText = id
  evidence.signed = { before: '', body: encoder.encode(JSON.stringify([source, id])), after: '' }
}

/**
 * CloudEvents over HTTP webhooks: a token that you agree on with the sender, in `Authorization` behind `Bearer`, alone there,
 * or in the URL as `access_token`, which ends up in logs. Nothing is signed. Anyone who has seen the token can send anything,
 * so add `allowedCidrs`.
 *
 * Events are claimed by their source and ID together, batches by their bodies. Data has to be JSON. `event.type` is known in
 * binary mode; in structured mode read it from the payload. The OPTIONS request that asks for consent is answered here.
 *
 * @example
 * ```ts
 * const auth = cloudevents({
 *   secrets: process.env.CLOUDEVENTS_TOKEN,
 *   allowedOrigins: ['eventgrid.azure.net'],
 * })
 * ```
 */
export const cloudevents: CodeSchemeFactory<CloudeventsOptions> = defineCodeScheme<CloudeventsOptions>(
  CLOUDEVENTS,
  { ...SHARED_SECRET_OPTIONS, allowedOrigins: /* @__PURE__ */ optional(origins) },
  ({ secrets }) => {
    const known = namedSecrets(secrets, 'secrets', secretText)
    return (evidence) => {
      const inHeader = headerOf(evidence.delivery, 'authorization')
      const inUrl = queryOf(evidence.delivery)('access_token')
      const token = inHeader ?? inUrl
      if (token === undefined) return fail('auth_missing', 'no Authorization, and no access_token')
      if (typeof token !== 'string' || (inHeader !== undefined && inUrl !== undefined)) {
        return fail('signature_mismatch', 'more than one token')
      }
      const holder = holderOf(known, token) ?? holderOf(known, token.replace(BEARER, ''))
      if (holder === undefined) return fail('signature_mismatch', 'the token is none of the secrets')
      claim(evidence)
      return vouchedBy(CLOUDEVENTS, holder)
    }
  },
)
