import { MAYBE_OF_ANOTHER_SENDER } from '../../src/explain/explain-line.ts'
import { type ExplainOptions, type Explanation, explain } from '../../src/explain/index.ts'
import type { Listener } from '../../src/index.ts'
import { messageOf, printable, remark } from '../command-line/output.ts'
import { endpointOf } from '../signing/endpoint.ts'
import { allSchemes } from '../signing/schemes.ts'
import type { ListenAuth } from './auth.ts'
import type { AuthValues } from './options.ts'
import type { DeliveryReport } from './report.ts'
import { timeOfDay } from './terminal.ts'

export interface Listening {
  readonly given: AuthValues & { readonly explain?: boolean }
  readonly auth: ListenAuth
  readonly listener: Listener<unknown>
  /** The listener's own URL. */
  readonly url: string
}

/** What `explain` cannot learn from the listener. */
export function knownOf({ given, auth, url }: Pick<Listening, 'given' | 'auth' | 'url'>): ExplainOptions {
  return {
    secret: given.scheme === undefined ? auth.secret : undefined,
    claims: given.jwks === undefined ? undefined : endpointOf(url, given),
  }
}

/** What an explanation adds to the detail, which stands above it. */
export function beyondDetail({ likely }: Explanation, detail: string | null | undefined): readonly string[] {
  return likely.filter((line) => !detail?.includes(line))
}

/** The schemes that can tell whose delivery this is, if it is not from the sender that the listener expects. */
export async function schemesFor(reason: string | null): Promise<NonNullable<ExplainOptions['schemes']>> {
  if (!MAYBE_OF_ANOTHER_SENDER.test(reason ?? '')) return []
  return (await allSchemes()).map(({ scheme }) => scheme)
}

/** Strangers can send many, and each takes up to a tenth of a second. */
const MOST_WAITING = 8

/**
 * With `--explain`, also prints what is likely wrong with a refused delivery. Explains one after the other, and skips those that
 * arrive while `MOST_WAITING` wait.
 */
export function withExplanation(
  printReport: (report: DeliveryReport) => void,
  listening: Listening,
): (report: DeliveryReport) => void {
  if (!listening.given.explain) return printReport
  const known = knownOf(listening)
  let last = Promise.resolve()
  let waiting = 0
  let printed = 0
  return (report) => {
    printReport(report)
    printed += 1
    const at = printed
    const { delivery, verdict, line } = report
    if (waiting >= MOST_WAITING || delivery === undefined) return
    if (verdict === undefined || verdict.ok || verdict.handshake) return
    waiting += 1
    last = last
      .then(() => schemesFor(verdict.reason))
      .then((schemes) => explain(delivery, verdict, listening.listener, { ...known, schemes }))
      .then((explanation) => {
        const { looksLike } = explanation
        const likely = beyondDetail(explanation, verdict.detail)
        // Other lines came in between.
        if (printed > at && likely.length > 0) remark(`  ${verdict.reason} of ${timeOfDay(line)}:`)
        for (const each of likely) remark(`  likely: ${printable(each)}`)
        if (looksLike !== undefined) remark(`  to verify it as its sender signs it: --scheme ${looksLike}`)
      })
      .catch((error: unknown) => remark(`hookgate: ${messageOf(error)}`))
      .finally(() => {
        waiting -= 1
      })
  }
}
