import { type Finding, fail, ok, skip, warn } from './finding.ts'
import { type ProbeAnswer, problemCodeOf, sendWronglySigned } from './probe.ts'

const DECADE = 315_360_000
const NOTICEABLE = 5
const DANGEROUS = 150
const HOUR = 3600

/** Offsets to try: first of clocks that drifted, then of clocks that show local time. */
const farOffsets = (width: number): readonly number[] =>
  [
    ...Array.from({ length: 7 }, (_, step) => (step + 1) * width),
    ...Array.from({ length: 13 }, (_, step) => (step + 2) * HOUR),
  ].flatMap((seconds) => [seconds, -seconds])

/** How old a time may be, and how far ahead, in seconds. */
interface Window {
  readonly old: number
  readonly ahead: number
}

/** Sends a delivery that no handler gets, with this many seconds added to its time. */
type DeliverAt = (skew: number) => Promise<ProbeAnswer>

class Unclear extends Error {}

/**
 * Checks the clock of a receiver of hookgate's own scheme, without a secret. The timestamp is checked before the signature, so a
 * wrongly signed delivery gets 400 outside the time window and 401 inside. No event is claimed.
 */
export const checkReceiverClock = (url: URL): Promise<Finding[]> =>
  checkClock((skew) => sendWronglySigned(url, '{}', skew), { old: 300, ahead: 300 })

/** Finds both edges of the window of accepted times, which lies around the receiver's time. */
export async function checkClock(deliver: DeliverAt, window: Window): Promise<Finding[]> {
  const isInside = async (skew: number) => {
    const answer = await deliver(skew)
    const code = problemCodeOf(answer)
    if (code === undefined || answer.status >= 500) throw new Unclear(`${answer.status}`)
    return code !== 'timestamp_out_of_range'
  }
  try {
    if (await isInside(-DECADE)) {
      return [skip('this listener does not check the time', 'compare the clocks yourself: date -u')]
    }
    const inside = await findInside(isInside, window)
    if (inside === undefined) {
      return [
        fail(
          `the receiver's clock is ${window.old < 60 ? `over ${window.old} s` : 'hours'} away from this one`,
          'compare both with date -u, and run NTP on both',
        ),
      ]
    }
    return [offsetFinding(await offsetOf(isInside, inside, window))]
  } catch (error) {
    const status = error instanceof Unclear ? ` (${error.message})` : ''
    return [
      skip(`the receiver stopped answering${status}`, 'check for a rate limit in front of it, and try again'),
    ]
  }
}

type IsInside = (skew: number) => Promise<boolean>

async function findInside(isInside: IsInside, { old, ahead }: Window): Promise<number | undefined> {
  for (const skew of [0, ...farOffsets(old + ahead)]) if (await isInside(skew)) return skew
  return undefined
}

/** How far the receiver's clock is ahead of this one. The listener may have a tolerance of its own, which is then even. */
async function offsetOf(isInside: IsInside, inside: number, { old, ahead }: Window): Promise<number> {
  const width = old + ahead
  const last = await edge(isInside, inside, 1, width)
  const isUsual = (await isInside(last - width)) && !(await isInside(last - width - 2))
  return isUsual ? last - ahead : Math.round((last + (await edge(isInside, inside, -1, width))) / 2)
}

/** The last offset inside the window, going up or down. */
async function edge(isInside: IsInside, start: number, direction: 1 | -1, usual: number): Promise<number> {
  let width = usual + 2
  while (width < DECADE && (await isInside(start + direction * width))) width *= 2
  let [near, far] = [0, width]
  while (far - near > 1) {
    const half = (near + far) >> 1
    if (await isInside(start + direction * half)) near = half
    else far = half
  }
  return start + direction * near
}

function offsetFinding(offset: number): Finding {
  const apart = Math.abs(offset)
  if (apart < NOTICEABLE) return ok("the receiver's clock and this one agree")
  const seen = `the receiver's clock is ${apart} s ${offset > 0 ? 'ahead of' : 'behind'} this one`
  const fix = 'set the one that is wrong with NTP; clock.local says whether it may be this one'
  return apart < DANGEROUS ? warn(seen, fix) : fail(seen, fix)
}
