const MOST_A_SECOND = 5

/** Says at most five lines a second, and then how many more there were, so that a stranger cannot fill a log. */
export function throttled(
  say: (line: string) => void,
  later = (call: () => void, ms: number) => void setTimeout(call, ms).unref(),
): (line: string) => void {
  let lines = 0
  const endSecond = () => {
    const withheld = lines - MOST_A_SECOND
    lines = 0
    if (withheld > 0) say(`hookgate: and ${withheld} more like this within a second`)
  }
  return (line) => {
    if (lines === 0) later(endSecond, 1000)
    lines += 1
    if (lines <= MOST_A_SECOND) say(line)
  }
}
