/** Something that can make a store forget, block or grow, and what to do about it. */
export interface StoreProblem {
  readonly problem: string
  readonly fix: string
}
