import { ERRORS_PAGE } from './errors.ts'
import { memberOf } from './lib/member-of.ts'
import { Recent } from './lib/recent.ts'
import { writeWarning } from './told.ts'
import type { Rejected } from './verdict.ts'
import type { Verification } from './verification.ts'

/** Explanations of each reason in a minute, in the whole process. Two in a log: a flood at one listener leaves one to the others. */
const MOST = { developer: 10, log: 2 }
/** Refusals in a second that a developer is told of. */
const MOST_LOOKS = 40
/** The response goes first: what is tried takes the process up to a fifth of a second. */
const DELAY_MS = 20
/** An `authenticate()` of your own may hang. Much longer than a busy machine takes for the rest. */
const LONGEST_WAIT_MS = 30_000
const SPECIFIER = 'hookgate/explain'

/** The explanations that began, by reason, and the mistakes of each listener that a developer was told. */
const begun = new Map<string, Recent>()
const told = /* @__PURE__ */ new Recent()
let isBusy = false

/** The reader of standard error: a developer at a terminal, or the operators of a log. */
export type Reader = keyof typeof MOST

/**
 * Tells what is wrong with a refused delivery, a moment later: a log, if the reason is new there, without what the request says; a
 * developer, if the mistake is new, and otherwise the reason alone. False if the line without an explanation is still to be written.
 * `hookgate/explain` is loaded only here, and a bundle may lack it.
 */
export function explained(
  { delivery, listener }: Pick<Verification, 'delivery' | 'listener'>,
  verdict: Rejected,
  what: string,
  now: number,
  isNew: boolean,
): boolean {
  const { id, explainRefusals, onVerdict } = listener
  const { reason } = verdict
  const mayLook = told.mayLook(now, MOST_LOOKS)
  if (!explainRefusals || !(isNew || mayLook)) return false
  const reader = readerOf()
  const isLog = reader === 'log'
  if (reader === undefined || (isLog && !isNew)) return false
  const say = (more: string) => writeWarning(listener, what, reason, more)
  const before = begun.get(reason) ?? new Recent()
  begun.set(reason, before)
  if (isBusy || !before.note({}, now, MOST[reader])) {
    if (!isNew && onVerdict === undefined) say('')
    return false
  }
  isBusy = true
  new Promise((resolve) => wait(resolve, DELAY_MS, !isLog))
    // By a name that no bundler follows, or every bundle would have all of it.
    .then(() => import(/* webpackIgnore: true */ /* @vite-ignore */ SPECIFIER))
    .then(({ explainLine }) =>
      Promise.race([explainLine(delivery, verdict, listener, { quotes: !isLog }), noLine()]),
    )
    .catch(() => undefined)
    .then((line: string | undefined) => {
      isBusy = false
      if (line !== undefined && (isLog || told.note(`${id} ${line}`, now))) say(`. ${line}`)
      else if (!isLog && onVerdict === undefined) say(isNew ? `. What to do: ${ERRORS_PAGE}${reason}` : '')
    })
  return !isLog
}

function noLine(): Promise<undefined> {
  return new Promise((resolve) => wait(() => resolve(undefined), LONGEST_WAIT_MS, false))
}

/** A program that a developer has run waits for it before it ends. A server does not. */
function wait(done: (value?: unknown) => void, ms: number, keepsAlive: boolean): void {
  const timer: { unref?(): unknown } = Object(setTimeout(done, ms))
  if (!keepsAlive) timer.unref?.()
}

/** Set by hosts that stop the process after a response: what is explained would take its time from the next request. */
const STOPPED_HOSTS = ['AWS_LAMBDA_FUNCTION_NAME', 'K_SERVICE']

/**
 * Who reads standard error of Node or Bun. A developer, if it is a terminal outside production, or if `HOOKGATE_EXPLAIN` is 1.
 * Undefined where nothing is explained: in tests, whose modules may be gone by then, in Deno, which would ask for permission to read
 * the environment, and on hosts where nothing may go on after the response.
 */
export function readerOf(platform: object = globalThis): Reader | undefined {
  const node = memberOf(platform, 'process')
  const agent = memberOf(memberOf(platform, 'navigator'), 'userAgent')
  if (memberOf(platform, 'Deno') !== undefined || agent === 'Cloudflare-Workers') return undefined
  const env = memberOf(node, 'env')
  if (env === undefined) return undefined
  if (memberOf(env, 'HOOKGATE_EXPLAIN') === '1') return 'developer'
  const kind = memberOf(env, 'NODE_ENV')
  const isTerminal = memberOf(memberOf(node, 'stderr'), 'isTTY') === true // throws if it is closed
  if (isTerminal && kind !== 'production') return 'developer'
  const isLogged = kind !== 'test' && STOPPED_HOSTS.every((name) => memberOf(env, name) === undefined)
  return isLogged ? 'log' : undefined
}
