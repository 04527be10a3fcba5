import type { SenderScheme } from '../code-scheme.ts'
import { type Delivery, headerOf } from '../delivery.ts'
import { ERRORS_PAGE } from '../errors.ts'
import { memberOf } from '../lib/member-of.ts'
import { escaped, printable } from '../lib/printable.ts'
import type { Listener } from '../listener.ts'
import type { LoggedVerdict } from './check-outcomes.ts'
import { expectedSender } from './expected-sender.ts'
import { explain } from './explain.ts'
import { preciseDetail } from './precise-refusal.ts'
import { toCheck } from './wrong-signature.ts'

/** For a process that serves others too: a body of this size costs about a twentieth of a second. */
const LARGEST_BODY = 16_384
/** As a token. What is signed, and where, fits in less. */
const LONGEST_HEADER = 8192
const LONGEST_LINE = 1500
/** The user and the password of a URL, and what its query keeps from others by its name. */
const SECRETS =
  /(\/\/)[^/?#@\s]*(?=@)|([?&][\w-]*(?:token|secret|key|pass|auth|sig|code)[\w-]*=)[^&#\s;,']+/gi

/** Those whose deliveries are recognised. The rows of all senders would take as long to load as all the rest. */
const RECOGNISED = [
  'stripe',
  'github',
  'slack',
  'shopify',
  'twilio',
  'standard-webhooks',
  'svix',
  'discord',
  'linear',
  'paddle',
  'gitlab',
  'hubspot',
  'zoom',
]
/** What a refusal quotes of the request: what these headers say, and how the sender calls its members. */
const QUOTED =
  /(?<=\bContent-(?:Type|Encoding) is )"(?:[^"\\]|\\.)*"|(?<=^the payload does not fit at ).*(?=: correct )|(?<=^a signature covers ).*(?=, which is missing)/gs
/** A log is read by more people than may know what a URL of yours holds. */
const OWN_URL = /(?<=^check that publicUrl), .*?,(?= is the URL that )/s
const SIGNED_URL = /(?<= signed )https?:.*(?=: set publicUrl to the URL that )/s
export const MAYBE_OF_ANOTHER_SENDER: RegExp = /^(?:header_missing|auth_missing|signature_mismatch)$/

/** How a refusal is explained in one line. */
export interface LineOptions {
  /**
   * Whether the line may quote what the request says, escaped, such as its content type. Without, it also names no command that shows
   * the deliveries. Defaults to true.
   */
  readonly quotes?: boolean
}

/**
 * Explains a refusal in one line: the likely mistake and its fix or, if no mistake is found, what to check, and for a developer a
 * command that shows the deliveries. Tries no mistakes for bodies over 16 KB. The adapters write this line on your terminal while you
 * develop, and without quotations in the log, at most twice a minute for each reason. Undefined if there is nothing to add to the
 * reason. A developer is shown a signed URL if its signature is genuine, without what its query keeps secret by its name.
 *
 * @example
 * ```ts
 * const verdict = await verify(delivery, listener)
 * if (!verdict.ok) console.warn(await explainLine(delivery, verdict, listener))
 * ```
 *
 * @throws Error if a header is over 8,192 characters.
 */
export async function explainLine(
  delivery: Delivery,
  verdict: LoggedVerdict,
  listener: Listener<unknown>,
  { quotes = true }: LineOptions = {},
): Promise<string | undefined> {
  const known = MAYBE_OF_ANOTHER_SENDER.test(verdict.reason ?? '') ? await rowsOf(RECOGNISED) : []
  const schemes = known.filter((row) => row !== undefined)
  const options = { schemes, maxBodyBytes: LARGEST_BODY }
  const { likely } = await explain(withShortHeaders(delivery), verdict, listener, options)
  const sentences =
    likely.length > 0 ? likely : [verdict.detail || [], ...toCheckUntried(verdict, listener)].flat()
  if (sentences.length === 0) return undefined
  const isUnknown = quotes && sentences.some((sentence) => sentence.startsWith('check '))
  const command = isUnknown ? await commandFor(listener) : undefined
  const shown = quotes
    ? sentences
    : sentences.map((sentence) =>
        sentence.replace(QUOTED, '…').replace(OWN_URL, '').replace(SIGNED_URL, 'another URL than publicUrl'),
      )
  const said = shown.map(asSentence).join(' ').slice(0, LONGEST_LINE)
  const more =
    command === undefined ? `More: ${ERRORS_PAGE}${verdict.reason}` : `To see what arrives, run: ${command}`
  return inOneLine(`${said} ${more}`)
}

/** `hmac()` does not give its secret away, so no mistakes are tried. */
function toCheckUntried({ reason, detail }: LoggedVerdict, listener: Listener<unknown>): readonly string[] {
  const isUntried = listener.auth.method === 'hmac' && reason === 'signature_mismatch'
  return isUntried && preciseDetail(detail) === undefined ? toCheck(expectedSender(listener, undefined)) : []
}

/** A stranger can send several megabytes of them, and what is tried reads them again and again. */
function withShortHeaders(delivery: Delivery): Delivery {
  return {
    ...delivery,
    header(name) {
      const value = headerOf(delivery, name)
      if (value !== undefined && `${value}`.length > LONGEST_HEADER) throw new Error(`${name} is too long`)
      return value
    },
  }
}

/** Names of code stay as they are, and what ends with a full stop, a question or `whsec_…` gets none. */
const asSentence = (text: string) =>
  text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/(?<![.…?])$/, '.')

const inOneLine = (text: string) => printable(withoutSecrets(text)).replace(/[\n\t]/g, escaped)

/** Without the passwords and tokens that a URL may hold. */
const withoutSecrets = (text: string) => text.replace(SECRETS, '$1$2***')

/** Shows the deliveries of a listener, and the checks that each of them passes. Undefined if its secret alone is not enough. */
async function commandFor({ protocol }: Listener<unknown>): Promise<string | undefined> {
  const { scheme, options } = protocol
  if (scheme === undefined) return 'npx --no-install hookgate listen --ui'
  const isPublished = (await rowsOf([scheme.name])).some((row) => row?.sender === scheme.sender)
  const { publicUrl = '' } = options ?? {}
  if (scheme.algorithm === 'code' || !isPublished || publicUrl !== withoutSecrets(publicUrl)) return undefined
  const url = publicUrl === '' ? '' : ` --public-url '${publicUrl.replaceAll("'", "'\\''")}'`
  return `npx --no-install hookgate listen --ui --scheme ${scheme.name}${url}`
}

/** By the names of the package, which bundlers do not follow: no bundle takes all senders. Undefined for each that is not there. */
function rowsOf(names: readonly string[]): Promise<readonly (SenderScheme | undefined)[]> {
  return Promise.all(names.map(rowOf))
}

async function rowOf(name: string): Promise<SenderScheme | undefined> {
  try {
    const specifier = `hookgate/schemes/${name}`
    const exported: object = await import(/* webpackIgnore: true */ /* @vite-ignore */ specifier)
    const rows = Object.values(exported).map((factory) => memberOf(factory, 'scheme'))
    const row = rows.find((each) => memberOf(each, 'name') === name)
    return row as SenderScheme | undefined // the file of a scheme exports its factory
  } catch {
    return undefined
  }
}
