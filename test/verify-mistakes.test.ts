import { describe, expect, it, vi } from 'vitest'
import { type Authenticator, verify } from '../src/index.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { hmacListener, withHeaders } from './support/hmac-listener.ts'
import { outcome } from './support/outcome.ts'

/** The types forbid this, but plain JavaScript allows it. */
const verifyAnything = verify as unknown as (...given: readonly unknown[]) => Promise<unknown>

const MISTAKE = 'ListenerConfigError: verify: takes a Delivery and the result of defineListener()'

describe('verify() without a delivery or a listener rejects with the fix', () => {
  const { listener, deliver } = hmacListener()
  const { id, auth, store } = listener

  it.each<readonly [string, readonly unknown[]]>([
    ['nothing', []],
    ['no delivery', [null, listener]],
    ['a web request', [new Request('http://localhost/', { method: 'POST', body: '{}' }), listener]],
    ['the two in the wrong order', [listener, { method: 'POST', header: () => '', body: new Uint8Array() }]],
  ])('%s', async (_, given) => {
    await expect(verifyAnything(...given).catch(String)).resolves.toBe(MISTAKE)
  })

  it.each<readonly [string, object]>([
    ['headers instead of header()', { header: undefined, headers: {} }],
    ['an object of headers', { header: { 'content-type': 'application/json' } }],
    ['no body', { body: undefined }],
    ['a body that is a string', { body: '{"a":1}' }],
    ['a body that was parsed', { body: { a: 1 } }],
    ['an ArrayBuffer for a body', { body: new TextEncoder().encode('{"a":1}').buffer }],
    ['a Uint16Array for a body', { body: new Uint16Array(4) }],
  ])('a delivery with %s', async (_, wrong) => {
    const given = verifyAnything({ ...(await deliver()), ...wrong }, listener)
    await expect(given.catch(String)).resolves.toBe(MISTAKE)
  })

  it.each<readonly [string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['the options of one', { id, auth, store }],
  ])('a listener that is %s', async (_, wrong) => {
    await expect(verifyAnything(await deliver(), wrong).catch(String)).resolves.toBe(MISTAKE)
  })
})

it('verify() takes null for an absent header, as Headers returns it', async () => {
  const { listener, deliver } = hmacListener()
  const delivery = await deliver()
  const header = (name: string) => delivery.header(name) ?? (null as unknown as undefined)
  expect(await outcome({ ...delivery, header }, listener)).toBe('accepted')
  const unsigned = withHeaders({ ...delivery, header }, { 'webhook-signature': null as unknown as undefined })
  expect(await outcome(unsigned, listener)).toBe('401 auth_missing')
})

it.each([{ ok: false }, {}, { secretId: 'main' }, true, null, undefined])(
  'verify() accepts and claims nothing if authenticate() of a caller in plain JavaScript answers %o',
  async (answer) => {
    const auth: Authenticator = { method: 'hmac', authenticate: () => answer as never }
    const inner = memoryStore()
    const claim = vi.fn(inner.claim)
    const { listener, deliver } = hmacListener({ auth, store: { ...inner, claim } })
    await expect(verify(await deliver(), listener)).rejects.toThrow('auth: authenticate() named no sender')
    expect(claim).not.toHaveBeenCalled()
  },
)
