/**
 * Interleaved rounds: in each round every variant does the same work once, in an order drawn anew: the scheduler owes more to
 * a variant behind one that waits. What the machine's other guests do falls on all of them alike, so a ratio is the median of the rounds' ratios; a time is the least seen.
 * CPU time is that of the whole process, garbage collection and thread pool included.
 *
 * @param variants { name, run(round): work, done or promised }
 * @param rounds how many count; a third as many, or `warmUp`, come first, uncounted, until the code is compiled
 * @param operations how many operations one run() is
 * @returns for each clock, wall and cpu, the variants' microseconds an operation by round
 */
export async function interleave(
  variants,
  { rounds, operations, warmUp = roundsInAll(rounds) - rounds, progress = () => {} },
) {
  const empty = () => new Map(variants.map(({ name }) => [name, []]))
  const [wall, cpu] = [empty(), empty()]
  for (let round = 0; round < warmUp + rounds; round += 1) {
    progress(`round ${round + 1} of ${warmUp + rounds}`)
    for (const { name, run } of shuffled(variants)) {
      const used = process.cpuUsage()
      const start = process.hrtime.bigint()
      await run(round)
      const nanoseconds = Number(process.hrtime.bigint() - start)
      const { user, system } = process.cpuUsage(used)
      if (round < warmUp) continue
      wall.get(name).push(nanoseconds / 1000 / operations)
      cpu.get(name).push((user + system) / operations)
    }
  }
  return { wall, cpu }
}

function shuffled(variants) {
  return variants
    .map((variant) => ({ variant, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ variant }) => variant)
}

/** How many rounds `interleave` runs in all, for those who prepare work for each. */
export const roundsInAll = (rounds) => Math.ceil(rounds / 3) + rounds

export function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1]
}

/** The median of the ratios of one variant's rounds to another's. */
export function ratio(times, name, base) {
  const bases = times.get(base)
  return median(times.get(name).map((time, round) => time / bases[round]))
}

export const least = (times, name) => Math.min(...times.get(name))
