import { whyUnanswered } from '../../lib/ask.ts'
import { type Finding, fail, ok, skip, warn } from './finding.ts'
import { ask, type ProbeAnswer } from './probe.ts'

const ROUNDS = 5
const NOTICEABLE_MS = 5000
/** Half of what listeners allow by default. */
const DANGEROUS_MS = 150_000

/** The host's clock is ahead of ours by `low` to `high` milliseconds. */
interface Bounds {
  readonly low: number
  readonly high: number
}

/** `Date` has whole seconds, and was written between request and response. Undefined for a cached response. */
function boundsOf({ headers, sentAt, receivedAt }: ProbeAnswer): Bounds | undefined {
  const date = Date.parse(headers.date ?? '')
  if (Number.isNaN(date) || headers.age !== undefined) return undefined
  return { low: date - receivedAt, high: date + 1000 - sentAt }
}

/** Compares this machine's clock with a host's. Cannot tell which one is right. */
export async function checkLocalClock(host: URL | undefined): Promise<Finding[]> {
  if (host === undefined) return [skip('no host was given', 'give --url or --jwks')]
  let bounds: Bounds = { low: -Infinity, high: Infinity }
  for (let round = 0; round < ROUNDS; round += 1) {
    let next: Bounds | undefined
    try {
      next = boundsOf(await ask(new URL('/', host), { method: 'HEAD' }))
    } catch (error) {
      if (round === 0) return [skip(...whyUnanswered(error, host))]
    }
    if (next === undefined) break
    bounds = { low: Math.max(bounds.low, next.low), high: Math.min(bounds.high, next.high) }
  }
  return [boundsFinding(bounds, host.host)]
}

function boundsFinding({ low, high }: Bounds, host: string): Finding {
  if (!Number.isFinite(low))
    return skip(`${host} answered without a usable Date header`, 'compare the clocks yourself: date -u')
  const least = low > 0 ? low : Math.min(0, high)
  const apart = Math.abs(least)
  const seen = `this clock is ${Math.round(apart / 1000)} s ${least > 0 ? 'behind' : 'ahead of'} that of ${host}`
  const fix = 'set the clock that is wrong with NTP: timedatectl set-ntp true'
  if (apart < NOTICEABLE_MS) return ok(`this clock and that of ${host} agree`)
  return apart < DANGEROUS_MS ? warn(seen, fix) : fail(seen, fix)
}
