import { memberOf } from './lib/member-of.ts'
import type { Rejected } from './verdict.ts'
import type { Verification } from './verification.ts'

const PAUSE_MS = 60_000
/** The response goes first: what is tried takes the process up to a tenth of a second. A process that ends waits for it. */
const DELAY_MS = 20
/** An `authenticate()` of your own may hang. Much longer than a busy machine takes for the rest. */
const LONGEST_WAIT_MS = 30_000
const SPECIFIER = 'hookgate/explain'

let lastAt = -Infinity
let isBusy = false

/**
 * What is wrong with a refused delivery, in words, a moment later. Undefined if nobody watches, if it was asked in the last minute,
 * or if it cannot be told: `hookgate/explain` is loaded only here, and a bundle may lack it. Never rejects.
 */
export function explained(
  { delivery, listener }: Pick<Verification, 'delivery' | 'listener'>,
  verdict: Rejected,
  now: number,
): Promise<string | undefined> | undefined {
  if (listener.explainRefusals === false || isBusy || Math.abs(now - lastAt) < PAUSE_MS || !isWatched())
    return undefined
  lastAt = now
  isBusy = true
  const line = new Promise((resolve) => setTimeout(resolve, DELAY_MS))
    // By a name that no bundler follows, or every bundle would have all of it.
    .then(() => import(/* webpackIgnore: true */ /* @vite-ignore */ SPECIFIER))
    .then(({ explainLine }) => Promise.race([explainLine(delivery, verdict, listener), noLine()]))
    .catch(() => undefined)
    .finally(() => {
      isBusy = false
    })
  return line
}

/** Keeps no process alive. */
function noLine(): Promise<undefined> {
  return new Promise((resolve) => {
    const timer: { unref?(): unknown } = Object(setTimeout(() => resolve(undefined), LONGEST_WAIT_MS))
    timer.unref?.()
  })
}

/**
 * Whether a person reads standard error: Node or Bun writes it to a terminal, and it is not production. Not in Deno, which would ask
 * that person for permission to read the environment, and not on Workers, where nothing may go on after the response.
 */
export function isWatched(platform: object = globalThis): boolean {
  const node = memberOf(platform, 'process')
  return (
    memberOf(memberOf(node, 'stderr'), 'isTTY') === true && // throws if it is closed
    memberOf(platform, 'Deno') === undefined &&
    memberOf(memberOf(platform, 'navigator'), 'userAgent') !== 'Cloudflare-Workers' &&
    memberOf(memberOf(node, 'env'), 'NODE_ENV') !== 'production'
  )
}
