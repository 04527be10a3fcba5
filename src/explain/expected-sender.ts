import type { Authenticator } from '../auth/authenticator.ts'
import type { NamedSecret, Secrets } from '../auth/secrets.ts'
import type { Listener } from '../listener.ts'
import { SPECIFICATION } from '../protocol.ts'
import type { SenderScheme } from '../schemes/kit/code-scheme.ts'
import { isAnythingSigned, maySignQuery } from '../schemes/kit/compile-scheme.ts'
import type { Scheme, SchemeOptions } from '../schemes/kit/scheme.ts'
import type { SenderFacts } from '../schemes/kit/sender-facts.ts'
import { EVENT_ID_HEADER, SIGNATURE_HEADER, signedPrefix, TIME } from '../specification.ts'

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
  readonly words: SenderWords
  /** Whether its deliveries are signed. Otherwise the sender only identifies itself. */
  readonly isSigned: boolean
  readonly options: SchemeOptions
  /** The configured `publicUrl`, if the sender signs its URL. */
  readonly signedUrl: string | undefined
  readonly keys: readonly ConfiguredKey[]
  /** Makes the scheme's `auth` with other options. Undefined if no other options can be tried. */
  readonly withOptions: ((options: SchemeOptions) => Authenticator) | undefined
}

/** Where sentences about hookgate's scheme, whose sender you can change, differ from those about any other. */
interface SenderWords {
  /** What a listener expects. */
  readonly expects: string
  /** What to do about a body that changed. */
  readonly exactBytes: string
  readonly serialisedAgain: string
  /** Why a header may be missing. */
  readonly missing: string
  /** What to do about a secret that is encoded or decoded. */
  readonly passSecret: string
  /** What the key is made of, if it is the secret's text. */
  readonly textIsKey: string
  /** What to check if the secret may be another. */
  readonly checkSecret: string
  /** The sender's copy of the secret is wrong. `what`: `a space at its end`. */
  readonly secretThere: (what: string) => string
}

/** `secret` is that of an `hmac()` listener, which does not give it away. A scheme's listener has its own options. */
export function expectedSender(
  { auth, protocol }: Pick<Listener<unknown>, 'auth' | 'protocol'>,
  secret: string | undefined,
): ExpectedSender {
  const scheme = protocol.scheme ?? ownScheme(auth)
  const options = protocol.options ?? { secrets: auth.method === 'hmac' ? secret : undefined }
  return {
    name: protocol.sender,
    scheme,
    facts: scheme.facts ?? {},
    words: protocol.scheme ? wordsOf(scheme) : OWN_WORDS,
    isSigned: isAnythingSigned(scheme),
    options,
    signedUrl: maySignQuery(scheme) ? options.publicUrl : undefined,
    keys: [...keysIn('secrets', options.secrets), ...keysIn('publicKeys', options.publicKeys)],
    withOptions: auth.withOptions,
  }
}

function keysIn(option: ConfiguredKey['option'], given: Secrets): readonly ConfiguredKey[] {
  const entries: readonly (string | NamedSecret | undefined)[] = [given].flat()
  return entries.flatMap((entry) => {
    const secret = typeof entry === 'object' ? entry.secret : entry
    return secret === undefined ? [] : [{ option, secret }]
  })
}

function wordsOf({ sender, secretName, facts }: SenderScheme): SenderWords {
  const exactBytes =
    'verify the exact bytes that arrived, before any parser, middleware or proxy changes them'
  const others = facts?.otherSecrets === undefined ? '' : `; ${facts.otherSecrets}`
  return {
    expects: sender,
    exactBytes,
    serialisedAgain: `the body was parsed and serialised again after ${sender} signed it; ${exactBytes}`,
    missing: `${sender} always sends it, so a proxy or middleware has dropped it, or ${sender} did not send this request`,
    passSecret: `pass it as ${sender} shows it`,
    textIsKey: `${sender} uses its text`,
    checkSecret: `check what you pass: the ${secretName}${others}`,
    secretThere: (what) => `the secret saved at ${sender} has ${what}: correct it there`,
  }
}

const SIGN_EXACTLY = 'sign exactly the bytes that are sent'

const OWN_WORDS: SenderWords = {
  expects: "hookgate's own scheme (HMAC or JWT)",
  exactBytes: SIGN_EXACTLY,
  serialisedAgain: `the JSON was parsed and serialised again; ${SIGN_EXACTLY}`,
  missing: 'the sender leaves it out, or a proxy or middleware has dropped it',
  passSecret: 'pass it as it was issued',
  textIsKey: 'its text is the key',
  checkSecret: 'check that both sides have the same secret, and that a change of it has reached both',
  secretThere: (what) => `the sender signed with a secret that has ${what}: correct it there`,
}

/** The header with what authenticates a delivery. */
const AUTH_HEADERS = { hmac: [SIGNATURE_HEADER], jwt: ['authorization'], scheme: [] }

/** hookgate's scheme, as a row like any other sender's. */
function ownScheme({ method }: Authenticator): Scheme {
  return {
    name: 'hookgate',
    sender: SPECIFICATION.sender,
    secretName: 'secret of the listener',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: { headers: AUTH_HEADERS[method], spelling: 'base64url' },
    signs: `${signedPrefix('{timestamp}', '{id}')}{body}`,
    timestamp: TIME,
    eventId: { header: EVENT_ID_HEADER },
    maxBodyBytes: SPECIFICATION.maxBodyBytes,
    limits: 'The URL and the other headers are not signed.',
  }
}

/** A header as senders write it: `x-hub-signature-256` becomes `X-Hub-Signature-256`. */
export function headerTitle(name: string): string {
  return name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())
}
