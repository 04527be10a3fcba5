import { parseJson } from '../../src/lib/json.ts'
import { addressOf } from '../../src/schemes/kit/signed-url.ts'
import { problemCode } from '../../src/sender/judge.ts'
import { CONNECTION_HEADER } from '../../src/sender/request-headers.ts'
import { bodyBytes } from '../../src/signing/body.ts'
import type { SignedRequest } from '../../src/signing/sign.ts'
import { type Command, defineCommand, type OptionRows, type ValuesOf } from '../command-line/command.ts'
import { EXIT, RefusedError, UsageError } from '../command-line/exit.ts'
import { paint, print, printable, remark, toJsonLine } from '../command-line/output.ts'
import { httpUrl } from '../command-line/values.ts'
import { ask, whyUnanswered } from '../lib/ask.ts'
import { aboutMinimal, sampleOf, typeOf } from '../signing/samples.ts'
import { loadScheme, usesUrl } from '../signing/schemes.ts'
import { JWT_OPTION_NAMES, readSigner, SIGN_OPTIONS, type Signer } from '../signing/signer.ts'

const TIMEOUT_MS = 30_000
const MOST_SHOWN = 2000
const CONFLICT = 409

const OPTIONS = {
  ...SIGN_OPTIONS,
  type: {
    value: 'TYPE',
    says: 'Send an event of this type: invoice.paid, push, …; with a minimal body if hookgate has no sample of it',
  },
  sample: { says: 'Send a sample event of the sender' },
  header: { value: "'NAME: VALUE'", many: true, says: 'Another header to send; repeatable' },
  tamper: { says: 'Change one byte of the body after signing, to see a 401' },
  duplicate: { says: 'Send the event twice, newly signed; the second answer is 409, or 200 with --scheme' },
  json: { says: 'Print NDJSON: attempt, status, body, eventId' },
} satisfies OptionRows

type SendValues = ValuesOf<typeof OPTIONS>

export const send: Command = defineCommand({
  name: 'send',
  summary: 'sign a delivery, send it, and print the answer',
  operand: { name: 'URL', required: true },
  options: OPTIONS,
  common: ['scheme', 'secret-file', 'type', 'data', 'file', 'header', 'duplicate', 'tamper', 'json'],
  groups: { JWT: JWT_OPTION_NAMES },
  notes: [
    "Without --scheme and --key, it signs in hookgate's own way, with HMAC.",
    'Without --scheme, 409 means that the event was accepted before, and the exit code is 1. Senders treat 409 as success.',
    'With --duplicate, the exit code is 0 if the first answer is 2xx and the second is 409, or 2xx with --scheme.',
  ],
  examples: [
    'hookgate send http://localhost:3000/webhooks/stripe --scheme stripe --type invoice.paid --secret-file whsec.txt',
    'hookgate send URL --scheme stripe --file invoice-paid.json --tamper',
    'hookgate send URL --scheme github --type push --duplicate',
    "hookgate send URL --data '{}' --key hookgate-private.jwk.json",
  ],
  async run(given, url) {
    httpUrl('URL', url)
    if (given.duplicate && given.tamper) throw new UsageError('give --duplicate or --tamper, not both')
    const headers = readHeaders(given.header)
    const { data, eventType } = await readSample(given)
    const extras = { eventType, contentType: headers['content-type'] }
    const signer = await readSigner({ ...given, ...(data !== undefined && { data }) }, url, extras)
    const { method, eventId, target } = signer
    const maySignAnother =
      given.scheme !== undefined &&
      given['public-url'] === undefined &&
      usesUrl(await loadScheme(given.scheme))
    const show = given.json ? showJson : showText
    const attempt = async (number: number) => {
      const signed = await signer.sign()
      const body = given.tamper ? tamper(Buffer.from(signed.body)) : signed.body
      const answer = await post(addressOf(target, signed), {
        headers: { ...signed.headers, ...headers },
        body,
      })
      show({ attempt: number, ...answer, eventId })
      const hint =
        (given.tamper && aboutTampered(answer.status)) || hintAbout(answer.status, answer.body, method)
      if (hint !== undefined) remark(`hint: ${hint}`)
      if (answer.status === 401 && maySignAnother && !given.tamper)
        remark(
          `hint: the sender signs its URL, here ${url}: if the receiver's publicUrl is another, give it as --public-url`,
        )
      return answer.status
    }
    const first = await attempt(1)
    if (!given.duplicate) return isSuccess(first) ? EXIT.done : EXIT.refused
    const second = await attempt(2)
    const isDuplicate = method === 'scheme' ? isSuccess(second) : second === CONFLICT
    return isSuccess(first) && isDuplicate ? EXIT.done : EXIT.refused
  },
})

/** The sample event that `--type` or `--sample` asks for. `--type` with a body sets the sender's header. */
async function readSample(
  given: SendValues,
): Promise<{ readonly data?: string; readonly eventType?: string | undefined }> {
  const { type, sample, scheme: name } = given
  if (type === undefined && !sample) return {}
  if (name === undefined) throw new UsageError(`--${sample ? 'sample' : 'type'} needs --scheme NAME`)
  const { scheme } = await loadScheme(name)
  const eventType = typeOf(scheme, type)
  if (given.data === undefined && given.file === undefined) {
    const minimal = type === undefined ? undefined : aboutMinimal(scheme, type)
    if (minimal !== undefined) remark(`hint: ${minimal}`)
    return { data: sampleOf(scheme, type), eventType }
  }
  if (sample) throw new UsageError('give --sample or a body, not both')
  if (scheme.eventType && 'header' in scheme.eventType) return { eventType }
  throw new UsageError(`--type: ${scheme.sender} writes the type into the body; leave it out`)
}

/** @throws UsageError if a line is not a header, or names one that belongs to the connection. */
function readHeaders(given: readonly string[] = []): { readonly [name: string]: string } {
  return Object.fromEntries(
    given.map((line) => {
      const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line) ?? []
      if (name === '') throw new UsageError("--header takes 'Name: value'")
      if (CONNECTION_HEADER.test(name)) throw new UsageError(`--header ${name}: it belongs to the connection`)
      return [name.toLowerCase(), value]
    }),
  )
}

interface AttemptResult {
  readonly attempt: number
  readonly status: number
  readonly statusText: string
  readonly body: string
  readonly eventId: string
}

async function post(target: string, { headers, body }: Pick<SignedRequest, 'headers' | 'body'>) {
  const url = new URL(target)
  try {
    const outgoing = { headers, body: bodyBytes(body) }
    const { status, statusText, bytes } = await ask(url, outgoing, { timeoutMs: TIMEOUT_MS })
    return { status, statusText, body: new TextDecoder().decode(bytes) }
  } catch (error) {
    throw new RefusedError(whyUnanswered(error, url).join(': '))
  }
}

function showText({ status, statusText, body }: AttemptResult): void {
  const line = `${status} ${printable(statusText)}`.trimEnd()
  print(paint(isSuccess(status) ? 'green' : 'red', line))
  if (body !== '') print(printable(beginningOf(body)))
}

/** An error page would fill the screen. */
function beginningOf(body: string): string {
  const rest = body.length - MOST_SHOWN
  return rest <= 0 ? body : `${body.slice(0, MOST_SHOWN)}… (${rest} more characters: --json prints them)`
}

function showJson({ attempt, status, body, eventId }: AttemptResult): void {
  print(toJsonLine({ attempt, status, body, eventId }))
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

const MOST_TRIES = 64
const SPACE = 0x20

/** Changes one byte and keeps the body valid JSON, so that only the signature tells. */
function tamper(body: Uint8Array): Uint8Array<ArrayBuffer> {
  const changed = new Uint8Array(body)
  let tries = 0
  for (let index = changed.length - 1; index >= 0 && tries < MOST_TRIES; index -= 1) {
    const byte = changed[index] ?? 0
    if (!/[0-9A-Za-z]/.test(String.fromCharCode(byte))) continue
    tries += 1
    changed[index] = byte ^ 1
    if ('value' in parseJson(changed)) return changed
    changed[index] = byte
  }
  // `{}` has no such byte, but JSON may end with white space.
  return Uint8Array.of(...body, SPACE)
}

const BY_CODE: { readonly [code: string]: string } = {
  event_duplicate: 'this event was accepted before; senders treat that as success',
  event_in_progress: 'another delivery of this event is still running; send it again after Retry-After',
  header_missing:
    "the receiver expects another sender's headers; give its sender as --scheme, or leave --scheme out for hookgate's own",
  upstream_unreachable:
    'the receiver works, but cannot reach the app behind it; start the app, then send again',
  upstream_unknown: "the app behind the receiver gave no complete response; see the app's logs",
  timestamp_out_of_range: "the signed time and the receiver's clock are too far apart; run NTP on both sides",
  timestamp_malformed: 'give Webhook-Timestamp in whole seconds, not milliseconds',
  event_id_not_uuid_v4: 'the event ID must be a UUID v4; leave --event-id out to get a new one',
  body_not_json: 'the body must be JSON in UTF-8; --data takes the body itself, --file the name of its file',
  payload_invalid:
    "the payload does not match the receiver's schema; `detail` in the receiver's onVerdict says where",
  body_too_large:
    'the body is larger than the receiver accepts; send a smaller one, or raise its maxBodyBytes',
  listener_unknown: 'no listener has this path; copy the URL that `hookgate listen` prints',
}

const BY_STATUS: { readonly [status: number]: string } = {
  403: 'the receiver does not accept deliveries from this address; check its allowedCidrs',
  404: 'nothing listens at this path; check the URL',
  409: 'this event was accepted before; senders treat that as success',
  503: 'the receiver could not decide; send the same event again later, freshly signed',
}

const ANOTHER_SECRET =
  'the secrets differ, the body changed on the way, or the receiver expects another scheme'

const BY_METHOD = {
  hmac: ANOTHER_SECRET,
  scheme: ANOTHER_SECRET,
  jwt: 'the token was refused; check the key, --tenant-url, --public-url, --expires and the body, or run the receiver with --explain',
} as const

/** For a changed body, a 401 is expected, and a success is not. */
function aboutTampered(status: number): string | undefined {
  if (isSuccess(status)) {
    return 'the changed body was accepted: its sender signs no body, or nothing checks the signature here'
  }
  return status === 401 ? 'this is expected: --tamper changed the body after it was signed' : undefined
}

/** Prefers the receiver's own `code` to its status. */
function hintAbout(status: number, body: string, method: Signer['method']): string | undefined {
  const code = problemCode(body)
  if (code !== undefined && Object.hasOwn(BY_CODE, code)) return BY_CODE[code]
  if (status === 401) return BY_METHOD[method]
  if (status >= 300 && status < 400) return 'redirects are not followed; send to the final URL'
  return BY_STATUS[status]
}
