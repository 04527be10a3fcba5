/**
 * Which of `parts` equal parts of very many cases runs, from 0. The same for a seed, as in CI, and any part without one. The whole takes
 * minutes, and tells little more than a part that is another one each time.
 */
export function partOf(parts: number, seed: number | undefined): number {
  return (seed ?? Date.now()) % parts
}
