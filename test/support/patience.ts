/** How long tests wait before they count as hung. On a busy machine everything takes several times as long. */
export const PATIENCE: {
  readonly testTimeout: number
  readonly hookTimeout: number
  readonly expect: { readonly poll: { readonly timeout: number } }
} = { testTimeout: 60_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000 } } }
