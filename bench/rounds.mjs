/**
 * Runs interleaved rounds. In each round, every variant does the same work once, in random order, because the scheduler
 * favours a variant that follows a waiting one. Noise affects all variants alike, so a ratio is the median of the
 * rounds' ratios. A time is the minimum. CPU time is that of the whole process, including garbage collection and the
 * thread pool.
 *
 * @param variants { name, run(round): work, done or promised }
 * @param rounds the measured rounds; a third as many, or `warmUp`, run first, until the code is compiled
 * @param operations the number of operations of one run()
 * @returns for each clock, wall and cpu, the variants' microseconds per operation and round
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

export function shuffled(variants) {
  return variants
    .map((variant) => ({ variant, at: Math.random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ variant }) => variant)
}

/** The total number of rounds of `interleave`, to prepare work for each. */
export const roundsInAll = (rounds) => Math.ceil(rounds / 3) + rounds

export function median(numbers) {
  return numbers.toSorted((left, right) => left - right)[numbers.length >> 1]
}

/** The median over the rounds of the ratio of two variants. */
export function ratio(times, name, base) {
  const bases = times.get(base)
  return median(times.get(name).map((time, round) => time / bases[round]))
}

export const least = (times, name) => Math.min(...times.get(name))
