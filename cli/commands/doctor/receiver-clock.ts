import { type Finding, notesOf } from './finding.ts'
import { problemCode, type Receiver } from './receiver.ts'

const { ok, warn, fail, skip } = notesOf('clock.receiver')

const DECADE = 315_360_000
/** The default tolerance, in seconds, either way. */
const TOLERANCE = 300
const NOTICEABLE = 5
const DANGEROUS = 150
const HOUR = 3600

/** Offsets to try: first of clocks that drifted, then of clocks that show local time. */
const FAR: readonly number[] = [
  ...Array.from({ length: 7 }, (_, step) => (step + 1) * 2 * TOLERANCE),
  ...Array.from({ length: 13 }, (_, step) => (step + 2) * HOUR),
].flatMap((seconds) => [seconds, -seconds])

class Unclear extends Error {}

/**
 * Checks a receiver's clock without a secret. The timestamp is checked before the signature, so a wrongly signed delivery gets
 * 400 outside the time window and 401 inside. The middle of the window is the receiver's time. No event is claimed.
 */
export async function checkReceiverClock(receiver: Receiver): Promise<Finding[]> {
  const isInside = async (skew: number) => {
    const answer = await receiver.deliver('{}', skew)
    const code = problemCode(answer)
    if (code === undefined || answer.status >= 500) throw new Unclear(`${answer.status}`)
    return code !== 'timestamp_out_of_range'
  }
  try {
    if (await isInside(-DECADE)) {
      return [skip('this listener does not check Webhook-Timestamp', 'compare the clocks yourself: date -u')]
    }
    const inside = await findInside(isInside)
    if (inside === undefined) {
      return [
        fail(
          "the receiver's clock is hours away from this one",
          'compare both with date -u, and run NTP on both',
        ),
      ]
    }
    return [judge(await middle(isInside, inside))]
  } catch (error) {
    const status = error instanceof Unclear ? ` (${error.message})` : ''
    return [
      skip(`the receiver stopped answering${status}`, 'check for a rate limit in front of it, and try again'),
    ]
  }
}

type IsInside = (skew: number) => Promise<boolean>

async function findInside(isInside: IsInside): Promise<number | undefined> {
  for (const skew of [0, ...FAR]) if (await isInside(skew)) return skew
  return undefined
}

/** The middle of the window of accepted times, by this clock. */
async function middle(isInside: IsInside, inside: number): Promise<number> {
  const last = await edge(isInside, inside, 1)
  const isUsual = (await isInside(last - 2 * TOLERANCE)) && !(await isInside(last - 2 * TOLERANCE - 2))
  return isUsual ? last - TOLERANCE : Math.round((last + (await edge(isInside, inside, -1))) / 2)
}

/** The last offset inside the window, going up or down. */
async function edge(isInside: IsInside, start: number, direction: 1 | -1): Promise<number> {
  let width = 2 * TOLERANCE + 2
  while (width < DECADE && (await isInside(start + direction * width))) width *= 2
  let [near, far] = [0, width]
  while (far - near > 1) {
    const half = (near + far) >> 1
    if (await isInside(start + direction * half)) near = half
    else far = half
  }
  return start + direction * near
}

function judge(offset: number): Finding {
  const apart = Math.abs(offset)
  if (apart < NOTICEABLE) return ok("the receiver's clock and this one agree")
  const seen = `the receiver's clock is ${apart} s ${offset > 0 ? 'ahead of' : 'behind'} this one`
  const fix = 'set the one that is wrong with NTP; clock.local says whether it may be this one'
  return apart < DANGEROUS ? warn(seen, fix) : fail(seen, fix)
}
