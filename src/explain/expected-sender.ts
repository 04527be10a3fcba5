import type { Authenticator } from '../auth/authenticator.ts'
import type { NamedSecret, Secrets } from '../auth/secrets.ts'
import type { SenderScheme } from '../code-scheme.ts'
import type { Listener } from '../listener.ts'
import { SPECIFICATION } from '../protocol.ts'
import type { Scheme, SchemeOptions } from '../scheme.ts'
import { isAnythingSigned, maySignQuery } from '../schemes/kit/compile-scheme.ts'
import type { SenderFacts } from '../sender-facts.ts'
import { EVENT_ID_HEADER, SIGNATURE_HEADER } from '../specification.ts'

/** A configured secret or public key, and the option that holds it. */
export interface ConfiguredKey {
  readonly option: 'secrets' | 'publicKeys'
  readonly secret: string
}

/** Whose signature a listener expects, and what it was configured with. */
export interface ExpectedSender {
  /** As sentences name it. */
  readonly name: string
  readonly scheme: SenderScheme
  readonly facts: SenderFacts
  /** What to do about a body that changed. */
  readonly exactBytes: string
  /** Why a header may be missing. */
  readonly whyMissing: string
  /** Whether its deliveries are signed. Otherwise the sender only identifies itself. */
  readonly isSigned: boolean
  readonly options: SchemeOptions
  /** The configured `publicUrl`, if the sender signs its URL. */
  readonly signedUrl: string | undefined
  readonly keys: readonly ConfiguredKey[]
  /** Makes the scheme's `auth` with other options. Undefined if no other options can be tried. */
  readonly withOptions: ((options: SchemeOptions) => Authenticator) | undefined
}

/** `secret` is that of an `hmac()` listener, which does not give it away. A scheme's listener has its own options. */
export function expectedSender(
  { auth, protocol }: Pick<Listener<unknown>, 'auth' | 'protocol'>,
  secret: string | undefined,
): ExpectedSender {
  const { sender: name, scheme = ownScheme(auth) } = protocol
  const options = protocol.options ?? { secrets: auth.method === 'hmac' ? secret : undefined }
  return {
    ...(protocol.scheme ? asSomebodyElse(name, scheme) : AS_YOU_WROTE_IT),
    name,
    scheme,
    facts: scheme.facts ?? {},
    isSigned: isAnythingSigned(scheme),
    options,
    signedUrl: maySignQuery(scheme) ? options.publicUrl : undefined,
    keys: [...keysIn('secrets', options.secrets), ...keysIn('publicKeys', options.publicKeys)],
    withOptions: auth.withOptions,
  }
}

/** For a request without a signature. Most of them are your own first tests. */
export const SIGN_TESTS = 'sign your own tests, e.g. with hookgate send'

/** Nobody can change how Stripe signs, but a sender of hookgate's scheme is written by you, or by somebody whom you know. */
const asSomebodyElse = (name: string, { facts }: SenderScheme) => ({
  exactBytes: 'verify the exact bytes that arrived, before any parser, middleware or proxy changes them',
  whyMissing:
    facts?.unsigned === undefined
      ? `${name} has no secret to sign with, a proxy or middleware has dropped it, or ${name} did not send this request`
      : `${name} always sends it, so a proxy or middleware has dropped it, or ${name} did not send this request; ${SIGN_TESTS}`,
})

const AS_YOU_WROTE_IT = {
  exactBytes: 'sign exactly the bytes that are sent',
  whyMissing: 'the sender leaves it out, or a proxy or middleware has dropped it',
}

function keysIn(option: ConfiguredKey['option'], given: Secrets): readonly ConfiguredKey[] {
  const entries: readonly (string | NamedSecret | undefined)[] = [given].flat()
  return entries.flatMap((entry) => {
    const secret = typeof entry === 'object' ? entry.secret : entry
    return secret === undefined ? [] : [{ option, secret }]
  })
}

/** The header with what authenticates a delivery. */
const AUTH_HEADERS = { hmac: [SIGNATURE_HEADER], jwt: ['authorization'], scheme: [] }

/** The name of hookgate's scheme. */
export const OWN_SCHEME = 'hookgate'

/** hookgate's scheme, as a row like any other sender's. */
function ownScheme({ method }: Authenticator): Scheme {
  return {
    name: OWN_SCHEME,
    sender: "hookgate's own scheme (HMAC or JWT)",
    secretName: 'secret of the listener',
    facts: { otherSecrets: 'the sender must have the same, also after a change' },
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: AUTH_HEADERS[method], spelling: 'base64url' },
    signs: '{timestamp}.{id}.{body}',
    ...(SPECIFICATION.time && { timestamp: SPECIFICATION.time }),
    eventId: { header: EVENT_ID_HEADER },
    maxBodyBytes: SPECIFICATION.maxBodyBytes,
    limits: 'The URL and the other headers are not signed.',
  }
}

/** A header as senders write it: `x-hub-signature-256` becomes `X-Hub-Signature-256`. */
export function headerTitle(name: string): string {
  return name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())
}
