import { makeBatch } from './batch.ts'
import { askHookgate } from './hookgate.ts'
import type { Line } from './lines.ts'
import { askOracle } from './oracle.ts'

/** A line that the two answer differently, with its listener. */
export interface Disagreement {
  readonly seed: number
  readonly hookgate: string
  readonly oracle: string
  readonly line: Line
  readonly listener: Line | undefined
}

export interface Comparison {
  /** The number of decided deliveries. Those to a listener that both refuse do not count. */
  readonly cases: number
  readonly disagreements: readonly Disagreement[]
  /** How often each answer was given, without the names in it. */
  readonly tally: ReadonlyMap<string, number>
}

/** Makes a batch from the seed and asks both about it, in parallel. */
export async function compareBatch(python: string, seed: number, deliveries: number): Promise<Comparison> {
  const lines = makeBatch(seed, deliveries)
  const [oracle, hookgate] = await Promise.all([askOracle(python, lines), askHookgate(lines)])
  const tally = new Map<string, number>()
  const disagreements: Disagreement[] = []
  let cases = 0
  let listener: Line | undefined
  for (const [at, line] of lines.entries()) {
    const [ours = 'nothing', theirs = 'nothing'] = [hookgate[at], oracle[at]]
    if ('listener' in line) listener = line
    if ('deliver' in line && ours !== 'no listener') cases += 1
    const word = ours.startsWith('accepted ') ? 'accepted' : ours
    tally.set(word, (tally.get(word) ?? 0) + 1)
    if (ours !== theirs && !isConsequence(ours, theirs)) {
      disagreements.push({ seed, hookgate: ours, oracle: theirs, line, listener })
    }
  }
  return { cases, disagreements, tally }
}

/** They disagreed on an earlier line, so that one side has nothing to answer about here. */
function isConsequence(ours: string, theirs: string): boolean {
  return ['no listener', 'nothing to settle'].some((word) => word === ours || word === theirs)
}
