import { availableParallelism } from 'node:os'

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number | undefined
  }
}

/**
 * How long a test may take before it counts as hung. On a busy machine everything takes several times as long, and a
 * machine may stand still for seconds. So this is the only deadline, and what a test waits for has none of its own.
 */
const HUNG_MS = 60_000

const seed = process.env.HOOKGATE_SEED

/** One for each core but one is vitest's own choice: on two cores that is one. */
export const MOST_WORKERS: number = Math.max(2, availableParallelism() - 1)

/** What the projects of tests share. */
export const TEST_SETTINGS: {
  readonly testTimeout: number
  readonly hookTimeout: number
  readonly expect: { readonly poll: { readonly timeout: number } }
  readonly provide: { readonly seed: number | undefined }
} = {
  testTimeout: HUNG_MS,
  hookTimeout: HUNG_MS,
  // Just before the test, so that the message says what did not come.
  expect: { poll: { timeout: HUNG_MS - 5_000 } },
  provide: { seed: seed === undefined ? undefined : Number(seed) },
}
