import { it } from 'vitest'

/** The runtime of these tests. `npm run test:runtimes` runs them on all. */
export const ENGINE: 'node' | 'bun' | 'deno' | 'workerd' = findEngine()

export const IN_WORKERD: boolean = ENGINE === 'workerd'

function findEngine(): typeof ENGINE {
  if (Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers') return 'workerd'
  if ('Bun' in globalThis) return 'bun'
  return 'Deno' in globalThis ? 'deno' : 'node'
}

/** `it`, except in workerd, where the test is not registered at all. The reason is for the reader. */
export function itOutsideWorkerd(_reason: string): typeof it {
  return IN_WORKERD ? NOWHERE : it
}

const nothing = () => {}
// A cast: without tests to register, the other members are unused.
const NOWHERE = Object.assign(nothing, { each: () => nothing }) as unknown as typeof it
