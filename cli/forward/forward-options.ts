import type { OptionTable } from '../command-line/command.ts'
import { UsageError } from '../command-line/exit.ts'
import { httpUrl, wholeNumber } from '../command-line/values.ts'
import { findSecret } from '../signing/secrets.ts'

export interface ForwardValues {
  readonly 'forward-to'?: string
  readonly 'forward-secret-file'?: string
  readonly timeout?: string
  readonly 'pass-header'?: readonly string[]
}

const DEFAULT_SECONDS = 10
/** How much longer than the app's timeout the lease must be: it begins earlier, and settling takes time. */
const MARGIN_SECONDS = 5

export const FORWARD_OPTIONS: OptionTable<ForwardValues> = {
  'forward-to': { value: 'URL', says: 'Forward verified events to your app, in any language' },
  'forward-secret-file': {
    value: 'FILE',
    says: 'Sign them for the app with this secret (default: HOOKGATE_FORWARD_SECRET)',
  },
  timeout: {
    value: 'SECONDS',
    says: `How long the app may take, at most the lease minus ${MARGIN_SECONDS} s (default ${DEFAULT_SECONDS})`,
  },
  'pass-header': { value: 'NAME', many: true, says: "A sender's header to pass on; repeatable" },
}

export interface Forwarding {
  readonly target: URL
  readonly secret: string | undefined
  /** In lower case. */
  readonly passed: readonly string[]
  readonly timeoutSeconds: number
}

/** Undefined without `--forward-to`. @throws UsageError for options that do not fit together. */
export async function readForwarding(given: ForwardValues): Promise<Forwarding | undefined> {
  const { 'forward-to': target, 'forward-secret-file': file, timeout, 'pass-header': names = [] } = given
  if (target === undefined) {
    const stray = (['forward-secret-file', 'timeout', 'pass-header'] as const).find(
      (option) => given[option] !== undefined,
    )
    if (stray) throw new UsageError(`--${stray} needs --forward-to URL`)
    return undefined
  }
  const secret = await findSecret(file, FORWARD_SECRET)
  return {
    target: httpUrl('--forward-to', target),
    secret: secret?.secret,
    passed: names.map((name) => passable(name, secret !== undefined)),
    timeoutSeconds: wholeNumber('--timeout', timeout ?? `${DEFAULT_SECONDS}`, 1, 3600),
  }
}

const FORWARD_SECRET = { option: '--forward-secret-file', variable: 'HOOKGATE_FORWARD_SECRET' } as const

/** @throws UsageError if the lease could expire while the app still has time. */
export function checkTimeout({ timeoutSeconds }: Forwarding, leaseMs: number): void {
  const longest = Math.floor(leaseMs / 1000) - MARGIN_SECONDS
  if (timeoutSeconds <= longest) return
  throw new UsageError(
    longest < 1
      ? `--forward-to needs --lease ${MARGIN_SECONDS + 1} or more`
      : `--timeout takes at most ${longest}: ${MARGIN_SECONDS} s less than the lease of ${leaseMs / 1000} s; raise --lease to allow more`,
  )
}

/** Headers of the sender's connection, not of the app's. */
const HOP_BY_HOP =
  /^(?:connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|host|content-length|proxy-.*)$/
const OURS =
  /^(?:content-type|webhook-event-id|hookgate-.*|x-forwarded-(?:for|proto|host)|traceparent|tracestate)$/
const SIGNED = /^webhook-(?:timestamp|signature)$/

function passable(name: string, isSigned: boolean): string {
  const lower = name.toLowerCase()
  // No underscores: many servers turn them into hyphens, so two headers would become one.
  if (!/^[a-z0-9-]{1,100}$/.test(lower)) {
    throw new UsageError('--pass-header takes a header name of letters, digits and hyphens')
  }
  if (HOP_BY_HOP.test(lower))
    throw new UsageError(`--pass-header ${name}: it belongs to one connection, so leave it out`)
  if (OURS.test(lower) || (isSigned && SIGNED.test(lower))) {
    throw new UsageError(`--pass-header ${name}: hookgate sets this header itself, so leave it out`)
  }
  return lower
}
