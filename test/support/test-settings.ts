declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number | undefined
  }
}

const seed = process.env.HOOKGATE_SEED

/** What the projects of tests share. */
export const TEST_SETTINGS: {
  readonly testTimeout: number
  readonly hookTimeout: number
  readonly expect: { readonly poll: { readonly timeout: number } }
  readonly provide: { readonly seed: number | undefined }
} = {
  // How long tests wait before they count as hung. On a busy machine everything takes several times as long.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  provide: { seed: seed === undefined ? undefined : Number(seed) },
}
