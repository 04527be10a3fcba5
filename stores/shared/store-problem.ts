/** Something that can make a store forget, block or grow, and how to fix it. */
export interface StoreProblem {
  /** What was found, for a log. */
  readonly problem: string
  /** What to set or do, for people. */
  readonly fix: string
}
