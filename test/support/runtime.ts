import { it } from 'vitest'

export const IN_WORKERD: boolean = Reflect.get(globalThis, 'navigator')?.userAgent === 'Cloudflare-Workers'

/** `it`, but for workerd, where the test is not registered at all. The reason is for whoever reads the test. */
export function itOutsideWorkerd(_reason: string): typeof it {
  return IN_WORKERD ? NOWHERE : it
}

const nothing = () => {}
// A cast, because what registers nothing needs none of the other members.
const NOWHERE = Object.assign(nothing, { each: () => nothing }) as unknown as typeof it
