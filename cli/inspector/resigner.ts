import { mediaTypeOf } from '../../src/lib/content-type.ts'
import { memberAt, pointerSteps } from '../../src/lib/json.ts'
import type { ValueLocation } from '../../src/scheme.ts'
import { hasKeyPair } from '../../src/schemes/kit/compile-scheme.ts'
import { FORM } from '../../src/schemes/kit/form-fields.ts'
import { rowFor } from '../../src/schemes/kit/header-families.ts'
import { withQueryOf } from '../../src/schemes/kit/signed-url.ts'
import { CONNECTION_HEADER } from '../../src/sender/request-headers.ts'
import { type SignedRequest, signHmac, signJwt } from '../../src/signing/sign.ts'
import { signAs } from '../../src/signing/sign-as.ts'
import type { AuthValues } from '../listen/options.ts'
import { endpointOf } from '../signing/endpoint.ts'
import { readPrivateKey } from '../signing/key-files.ts'
import { signsTime } from '../signing/scheme-body.ts'
import { type AnyScheme, canSign, isInBody, loadScheme } from '../signing/schemes.ts'
import { firstValue, type Inspected, type WireHeaders } from './inspected.ts'

type Resend = Pick<Inspected, 'headers' | 'body'> & {
  readonly isNewEvent: boolean
  /** The URL that the request is sent to. */
  readonly url: string
}

/** Signs deliveries again, as their sender would, with the current time. */
export interface Resigner {
  sign(resend: Resend): Promise<SignedRequest>
  /** Whether the signed time is in the body, so that it cannot be renewed. */
  readonly timeIsInBody: boolean
  /** Whether signatures expire. If not, no curl command is given out: it would be valid forever. */
  readonly expires: boolean
}

const UNKNOWN = 'The secret is not known.'

/** Makes the resigner, or returns why it cannot. @throws UsageError if `--key` is not a private JWK. */
export async function resignerFor(
  given: AuthValues & { readonly key?: string },
  { secret, url }: { readonly secret: string | undefined; readonly url: string },
): Promise<Resigner | string> {
  const privateKey = given.key === undefined ? undefined : await readPrivateKey(given.key)
  if (given.scheme !== undefined) {
    const factory = await loadScheme(given.scheme)
    const { sender, content: [kind = 'json'] = [] } = factory.scheme
    if (!canSign(factory)) return `hookgate cannot sign as ${sender}.`
    if (isInBody(factory) && (kind === 'form' || typeof kind === 'object'))
      return `${sender} signs its body before it puts it into a form: send it with hookgate send.`
    if (hasKeyPair(factory.scheme) && !privateKey)
      return `${sender} signs with a private key: start listen with --key FILE.`
    if (!hasKeyPair(factory.scheme) && secret === undefined) return UNKNOWN
    const keys = hasKeyPair(factory.scheme) ? { privateKey } : { secret, keyId: given['key-id'] }
    return schemeResigner(factory, keys, given['public-url'] ?? url)
  }
  if (given.jwks === undefined) {
    if (secret === undefined) return UNKNOWN
    return ownResigner((eventId, body) => signHmac({ secret, eventId, body }))
  }
  if (privateKey === undefined) return 'Tokens need a private key: start listen with --key FILE.'
  const endpoint = endpointOf(url, given)
  return ownResigner((eventId, body) => signJwt({ ...endpoint, privateKey, eventId, body }))
}

function ownResigner(sign: (eventId: string, body: Uint8Array) => Promise<SignedRequest>): Resigner {
  return {
    timeIsInBody: false,
    expires: true,
    async sign({ headers, body, isNewEvent }) {
      const id = firstValue(headers, 'webhook-event-id')
      return withOthers(headers, await sign(isNewEvent || !id ? crypto.randomUUID() : id, body))
    },
  }
}

function schemeResigner(
  factory: AnyScheme,
  keys: Pick<Parameters<typeof signAs>[1], 'secret' | 'keyId' | 'privateKey'>,
  publicUrl: string,
): Resigner {
  const { scheme } = factory
  return {
    timeIsInBody: scheme.timestamp !== undefined && 'member' in scheme.timestamp,
    expires: scheme.timestamp?.of === 'attempt' && signsTime(scheme),
    async sign({ headers, body, isNewEvent, url }) {
      const row = rowFor({ header: (name) => firstValue(headers, name) }, scheme)
      const { eventId: place } = row
      const id = place && 'header' in place ? firstValue(headers, place.header) : undefined
      const eventId = isNewEvent || !id ? crypto.randomUUID() : id
      const contentType = firstValue(headers, 'content-type')
      const sent = isNewEvent ? withNewId(body, place, contentType) : body
      return withOthers(
        headers,
        await signAs(
          { scheme: row },
          {
            ...keys,
            body: sent,
            eventId,
            contentType,
            publicUrl: withQueryOf(publicUrl, url),
          },
        ),
      )
    },
  }
}

/** Adds a suffix to the ID in a JSON body, and changes no other byte. Forms stay: Slack's have no ID. */
function withNewId(
  body: Uint8Array,
  place: ValueLocation | undefined,
  contentType: string | undefined,
): Uint8Array {
  if (place === undefined || !('member' in place) || mediaTypeOf(contentType ?? '') === FORM) return body
  const text = Buffer.from(body).toString('utf8')
  const id = memberAt(JSON.parse(text), pointerSteps(place.member))
  const written = JSON.stringify(id)
  if (typeof id !== 'string' || !text.includes(written)) return body
  const ending = crypto.randomUUID().slice(0, 8)
  return Buffer.from(text.replace(written, () => JSON.stringify(`${id}_${ending}`)))
}

/** Headers of one connection or message, and those that the new request sets itself. */
const isDropped = (name: string) =>
  CONNECTION_HEADER.test(name) || /^(?:content-encoding|cookie|authorization)$/i.test(name)

/** The same bytes and headers, for senders whose key nobody else has. */
export function asReceived({ headers, body }: Pick<Resend, 'headers' | 'body'>): SignedRequest {
  const kept = headers.filter(([name]) => !isDropped(name) || /^authorization$/i.test(name))
  return { method: 'POST', headers: Object.fromEntries(kept), body: Buffer.from(body) }
}

/** Adds the delivery's other headers, such as the event type. */
function withOthers(headers: WireHeaders, request: SignedRequest): SignedRequest {
  const others = headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !isDropped(name))
  return { ...request, headers: { ...Object.fromEntries(others), ...request.headers } }
}
