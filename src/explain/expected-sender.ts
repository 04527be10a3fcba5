import type { Authenticator } from '../auth/authenticator.ts'
import type { NamedSecret, Secrets } from '../auth/secrets.ts'
import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { isAnythingSigned, maySignQuery } from '../schemes/kit/compile-scheme.ts'
import type { Scheme, SchemeOptions } from '../schemes/kit/scheme.ts'
import type { SenderFacts } from '../schemes/kit/sender-facts.ts'

/** hookgate's own scheme, as a row like any other sender's. */
const OWN: Scheme = {
  name: 'hookgate',
  sender: 'the sender',
  secretName: 'secret of the listener',
  algorithm: 'hmac-sha256',
  key: 'text',
  signature: { headers: ['webhook-signature'], spelling: 'base64url' },
  signs: '{timestamp}.{id}.{body}',
  timestamp: { header: 'webhook-timestamp', unit: 'seconds', of: 'attempt', toleranceSeconds: 300 },
  eventId: { header: 'webhook-event-id' },
  maxBodyBytes: 65_536,
  limits: 'The URL and the other headers are not signed.',
}

/** A configured secret or public key, and the option that holds it. */
export interface ConfiguredKey {
  readonly option: 'secrets' | 'publicKeys'
  readonly secret: string
}

/** Whose signature a listener expects, and what it was configured with. */
export interface ExpectedSender {
  /** As sentences name it. */
  readonly name: string
  /** hookgate's own scheme: the sender is written by the reader, or by somebody whom the reader knows. */
  readonly isOwn: boolean
  readonly scheme: SenderScheme
  readonly facts: SenderFacts
  /** Whether its deliveries are signed. Otherwise the sender only identifies itself. */
  readonly isSigned: boolean
  readonly options: SchemeOptions
  /** The configured `publicUrl`, if the sender signs its URL. */
  readonly signedUrl: string | undefined
  readonly keys: readonly ConfiguredKey[]
  /** Makes the scheme's `auth` with other options. Undefined if no other options can be tried. */
  readonly again: ((options: SchemeOptions) => Authenticator) | undefined
}

/** `secret` is that of an `hmac()` listener, which does not give it away. A scheme's listener has its own options. */
export function expectedSender(
  { protocol, again }: Authenticator,
  secret: string | undefined,
): ExpectedSender {
  const scheme = protocol?.scheme ?? OWN
  const options = protocol?.options ?? { secrets: secret }
  return {
    name: scheme.sender,
    isOwn: protocol === undefined,
    scheme,
    facts: scheme.facts ?? {},
    isSigned: isAnythingSigned(scheme),
    options,
    signedUrl: maySignQuery(scheme) ? options.publicUrl : undefined,
    keys: [...keysIn('secrets', options.secrets), ...keysIn('publicKeys', options.publicKeys)],
    again,
  }
}

function keysIn(option: ConfiguredKey['option'], given: Secrets): readonly ConfiguredKey[] {
  const entries: readonly (string | NamedSecret | undefined)[] = [given].flat()
  return entries.flatMap((entry) => {
    const secret = typeof entry === 'object' ? entry.secret : entry
    return secret === undefined ? [] : [{ option, secret }]
  })
}

/** A header as senders write it: `x-hub-signature-256` becomes `X-Hub-Signature-256`. */
export function headerTitle(name: string): string {
  return name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())
}
