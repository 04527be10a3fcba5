import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { hmac } from '../../src/index.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import { outcome } from '../support/outcome.ts'

const counted = vi.hoisted(() => {
  vi.resetModules() // an earlier file of this worker loaded the real cryptography
  return { macs: 0, comparisons: 0 }
})

afterAll(() => {
  vi.doUnmock('#crypto')
  vi.resetModules()
})

/** The build's own cryptography, which also counts its calls. */
vi.mock('#crypto', async (original) => {
  const real = await original<typeof import('#crypto')>()
  return {
    ...real,
    hmacWith: (...key: Parameters<typeof real.hmacWith>) => {
      const mac = real.hmacWith(...key)
      return (...given: Parameters<typeof mac>) => {
        counted.macs += 1
        return mac(...given)
      }
    },
    constantTimeEqual: (a: string, b: string) => {
      counted.comparisons += 1
      return real.constantTimeEqual(a, b)
    },
  }
})

const secrets = ['first', 'second', 'third'].map((id) => ({ id, secret: `the ${id} secret of this sender` }))

beforeEach(() => Object.assign(counted, { macs: 0, comparisons: 0 }))

it.each([...secrets, { id: 'unknown', secret: 'a secret of somebody else' }])(
  'every secret is tried and compared if the $id one has signed',
  async ({ id, secret }) => {
    const { listener, deliver } = hmacListener({ auth: hmac({ secrets }) })
    const delivery = await deliver({ secret })
    counted.macs = 0 // does not count the sender's own
    expect(await outcome(delivery, listener)).toBe(id === 'unknown' ? '401 signature_mismatch' : 'accepted')
    expect(counted).toStrictEqual({ macs: 3, comparisons: 3 })
  },
)

it('a malformed signature costs no hashing', async () => {
  const { listener, deliver } = hmacListener({ auth: hmac({ secrets }) })
  const delivery = await deliver()
  counted.macs = 0
  for (const signature of [
    'A'.repeat(42),
    'A'.repeat(44),
    '='.repeat(43),
    'A'.repeat(1_000_000),
    ['A', 'A'],
  ]) {
    expect(await outcome(withHeaders(delivery, { 'webhook-signature': signature }), listener)).toBe(
      '401 signature_mismatch',
    )
  }
  expect(counted).toStrictEqual({ macs: 0, comparisons: 0 })
})
