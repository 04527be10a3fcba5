/**
 * Which third of very many cases runs: 0, 1 or 2. The same for a seed, as in CI, and any third without one. The whole takes minutes, and
 * tells little more than a third that is another one each time.
 */
export function thirdOf(seed: number | undefined): number {
  return (seed ?? Date.now()) % 3
}
