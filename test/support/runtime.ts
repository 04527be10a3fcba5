import { it } from 'vitest'

/** The runtime of these tests. `npm run test:runtimes` runs them on all. */
export const ENGINE: 'node' | 'bun' | 'deno' | 'workerd' = findEngine()

export const IN_WORKERD: boolean = ENGINE === 'workerd'

function findEngine(): typeof ENGINE {
  if (Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers') return 'workerd'
  if ('Bun' in globalThis) return 'bun'
  return 'Deno' in globalThis ? 'deno' : 'node'
}

/** `it`, but for workerd, where the test is not registered at all. The reason is for whoever reads the test. */
export function itOutsideWorkerd(_reason: string): typeof it {
  return IN_WORKERD ? NOWHERE : it
}

const nothing = () => {}
// A cast, because what registers nothing needs none of the other members.
const NOWHERE = Object.assign(nothing, { each: () => nothing }) as unknown as typeof it
