import { MAX_RUN_SECONDS } from '../../src/limits.ts'
import { headerIn, isAnythingSigned } from '../../src/schemes/kit/compile-scheme.ts'
import { rowsOf } from '../../src/schemes/kit/header-families.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { CONNECTION_HEADER } from '../../src/sender/request-headers.ts'
import type { OptionRows, ValuesOf } from '../command-line/command.ts'
import { UsageError } from '../command-line/exit.ts'
import { httpUrl, refuseStray, wholeNumber } from '../command-line/values.ts'
import { findSecret } from '../signing/secrets.ts'
import { checkStandardSecret, type ForwardFormat, formatNamed, isOfSignature } from './signature.ts'

const DEFAULT_SECONDS = 10

export const FORWARD_OPTIONS = {
  'forward-to': {
    value: 'URL',
    says: 'Forward verified events to your app: 3000/webhooks, localhost:3000/webhooks, or a URL',
  },
  'forward-secret-file': {
    value: 'FILE',
    says: 'Sign events for the app with this secret, whsec_… (default: HOOKGATE_FORWARD_SECRET)',
  },
  'forward-format': {
    value: 'NAME',
    says: 'How to sign them: standard-webhooks, or hookgate, which takes any secret (default: standard-webhooks)',
  },
  timeout: {
    value: 'SECONDS',
    says: `How long the app may take: 1 to ${MAX_RUN_SECONDS}, less if the sender retries for less (default: ${DEFAULT_SECONDS})`,
  },
  'pass-header': { value: 'NAME', many: true, says: 'Another header of the sender to pass on; repeatable' },
  'no-sender-headers': {
    says: "Drop the sender's own headers of signature, time, event ID and event type",
  },
} satisfies OptionRows

type ForwardValues = ValuesOf<typeof FORWARD_OPTIONS> & { readonly lease?: string }

export type Forwarding = NonNullable<Awaited<ReturnType<typeof readForwarding>>>

/** Undefined without `--forward-to`. @throws UsageError for options that do not fit together. */
export async function readForwarding(given: ForwardValues) {
  const { 'forward-to': target, 'forward-secret-file': file, timeout, 'pass-header': names = [] } = given
  const longest = Math.max(MAX_RUN_SECONDS, Number(given.lease) || 0)
  if (target === undefined) {
    refuseStray(given, DEPENDENT, 'needs --forward-to URL')
    return undefined
  }
  const format = formatNamed(given['forward-format'])
  const secret = await findForwardSecret(file, format)
  if (secret === undefined) refuseStray(given, ['forward-format'], 'needs --forward-secret-file FILE')
  return {
    target: appUrl(target),
    /** Undefined: nothing is signed. */
    secret,
    format,
    /** In lower case. */
    passed: names.map((name) => passable(name, secret === undefined ? undefined : format)),
    /** Whether the headers that the sender's scheme names pass too. */
    passesSenderHeaders: !given['no-sender-headers'],
    timeoutSeconds: wholeNumber('--timeout', timeout ?? `${DEFAULT_SECONDS}`, 1, longest),
  }
}

const DEPENDENT = [
  'forward-secret-file',
  'forward-format',
  'timeout',
  'pass-header',
  'no-sender-headers',
] as const

/** @throws UsageError for a secret that the format does not take. */
async function findForwardSecret(
  file: string | undefined,
  format: ForwardFormat,
): Promise<string | undefined> {
  const given = await findSecret(file, FORWARD_SECRET)
  if (given === undefined) return undefined
  const { option, variable } = FORWARD_SECRET
  const place = given.from === 'file' ? `${option} ${file}` : variable
  if (format === 'standard-webhooks') checkStandardSecret(given.secret, place)
  return given.secret
}

const FORWARD_SECRET = { option: '--forward-secret-file', variable: 'HOOKGATE_FORWARD_SECRET' } as const

/** `localhost:3000` or `[::1]:3000`, with or without a path. No credentials. */
const HOST_AND_PORT = /^(?:localhost|[\w.-]+:[0-9]+|\[[0-9a-f:]+\](?::[0-9]+)?)(?=[/?]|$)/i

/** The app's URL: given in full, without its protocol, or by its port on this machine. The sender's path is never added. */
function appUrl(text: string): URL {
  try {
    const host = /^[0-9]+(?=[/?]|$)/.test(text) ? `localhost:${text}` : text
    const url = httpUrl('--forward-to', HOST_AND_PORT.test(host) ? `http://${host}` : text)
    if (url.port !== '0') return url
  } catch {}
  throw new UsageError(
    '--forward-to takes 3000/webhooks, localhost:3000/webhooks, or a URL without credentials',
  )
}

/** @throws UsageError if the lease would no longer be renewed while the app still has time. */
export function checkTimeout({ timeoutSeconds }: Forwarding, maxRunMs: number): void {
  const longest = Math.floor(maxRunMs / 1000)
  if (timeoutSeconds <= longest) return
  throw new UsageError(
    `--timeout takes at most ${longest} for this sender, because it does not retry for longer; raise --lease to allow more`,
  )
}

/**
 * The headers that the sender's scheme names: signatures, time, event ID, event type, and those with a fixed value. With them,
 * an app verifies the delivery itself. A token is left out, because anyone who has it can send deliveries. So is what the
 * gateway itself signs with.
 */
export function senderHeaders(
  { secret, format, passesSenderHeaders }: Pick<Forwarding, 'secret' | 'format' | 'passesSenderHeaders'>,
  scheme: SenderScheme | undefined,
): readonly string[] {
  if (scheme === undefined || !passesSenderHeaders) return []
  const names = rowsOf(scheme).flatMap(({ signature, timestamp, eventId, eventType }) => {
    const places = [timestamp, eventId, eventType].flatMap((place) => headerIn(place) ?? [])
    return [...(isAnythingSigned(scheme) ? signature.headers : []), ...places]
  })
  if ('fixedHeaders' in scheme) names.push(...Object.keys(scheme.fixedHeaders ?? {}))
  const isTaken = (name: string) => secret !== undefined && isOfSignature(name, format)
  return names.filter((name) => !CONNECTION_HEADER.test(name) && !OURS.test(name) && !isTaken(name))
}

const OURS =
  /^(?:content-type|webhook-event-id|hookgate-.*|x-forwarded-(?:for|proto|host)|traceparent|tracestate)$/

/** `format` is undefined if nothing is signed. */
function passable(name: string, format: ForwardFormat | undefined): string {
  const lower = name.toLowerCase()
  // No underscores: many servers turn them into hyphens, so two headers would become one.
  if (!/^[a-z0-9-]{1,100}$/.test(lower)) {
    throw new UsageError('--pass-header takes a header name of letters, digits and hyphens')
  }
  if (CONNECTION_HEADER.test(lower))
    throw new UsageError(`--pass-header ${name}: it belongs to one connection, so leave it out`)
  if (OURS.test(lower)) {
    throw new UsageError(`--pass-header ${name}: hookgate sets this header itself, so leave it out`)
  }
  if (format !== undefined && isOfSignature(lower, format)) {
    throw new UsageError(`--pass-header ${name}: your app would take it for the gateway's, so leave it out`)
  }
  return lower
}
