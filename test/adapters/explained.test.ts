import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { warnOfRefusal } from '../../adapters/kit/warn.ts'
import { expectedSender } from '../../src/explain/expected-sender.ts'
import { tryGuesses } from '../../src/explain/try-guesses.ts'
import { isWatched } from '../../src/explained.ts'
import { type Delivery, defineListener, type ListenerOptions } from '../../src/index.ts'
import type { Reason } from '../../src/reason.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'

const SECRET = 'whsec_explained-0123456789abcdef'
const PLAIN = 'What to do: '

/** One clock for all: a process explains one refusal a minute. */
const clock = fakeClock(1_785_480_000_000)
const isTTY = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')

beforeEach(() => {
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true })
  vi.stubEnv('NODE_ENV', 'development')
  clock.advance(60_000)
})
afterEach(() => {
  Reflect.deleteProperty(process.stderr, 'isTTY')
  if (isTTY) Object.defineProperty(process.stderr, 'isTTY', isTTY)
})

let listeners = 0

/** A listener of Stripe with an ID of its own. */
function listenerWith(options: Partial<ListenerOptions> = {}) {
  listeners += 1
  const id = `explained-${listeners}`
  return defineListener({ id, auth: stripe({ secrets: SECRET }), store: memoryStore(), clock, ...options })
}

const deliveryOf = (
  body: string | Uint8Array,
  headers: { readonly [name: string]: string } = {},
): Delivery => ({
  method: 'POST',
  header: (name) =>
    ({
      'content-type': 'application/json',
      'stripe-signature': `t=${clock.now() / 1000},v1=${'0'.repeat(64)}`,
      ...headers,
    })[name],
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
  url: '/webhooks',
  sourceIp: '203.0.113.1',
})

/** What is said of the listeners here: what earlier files of this process have started may still write. */
function saidOnConsole(): () => readonly string[] {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const isOwn = (line: string) => /listener "(?:explained-\d+|later)"/.test(line)
  return () => warn.mock.calls.map(([line]) => `${line}`).filter(isOwn)
}

const refuse = (
  listener: ReturnType<typeof listenerWith>,
  delivery: Delivery,
  reason: Reason = 'signature_mismatch',
) => warnOfRefusal({ delivery, listener }, { ok: false, reason, status: 401, detail: 'none of the keys' })

/** What the console says before the line of a refusal a minute later, which is written after all of it. */
async function saidUntilLater(said: () => readonly string[]): Promise<readonly string[]> {
  clock.advance(60_000)
  refuse(listenerWith({ id: 'later' }), deliveryOf('{"id":"evt_1"}'))
  const isLast = (line: string) => line.includes('listener "later"')
  await expect.poll(() => said().some(isLast)).toBe(true)
  return said().filter((line) => !isLast(line))
}

describe('a refused delivery on a terminal', () => {
  it('a flood of 10,000 is explained once, in one line, and once more after a minute', async () => {
    const said = saidOnConsole()
    const listener = listenerWith()
    for (let sent = 0; sent < 10_000; sent++) refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(1)
    clock.advance(59_999)
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    clock.advance(1)
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(2)
    const line =
      /^hookgate: listener "explained-[0-9]+" refused a delivery: signature_mismatch\. No common mistake found/
    expect(await saidUntilLater(said)).toEqual([expect.stringMatching(line), expect.stringMatching(line)])
  })

  it('another listener and another reason in the same minute get the line without an explanation', async () => {
    const said = saidOnConsole()
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'), 'auth_missing')
    expect(said()).toEqual([expect.stringContaining(`auth_missing. ${PLAIN}`)])
    await expect.poll(said).toHaveLength(2)
    expect(said()[1]).not.toContain(PLAIN)
  })

  it('nothing is written before the response is', async () => {
    const said = saidOnConsole()
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    await Promise.resolve()
    expect(said()).toEqual([])
    await expect.poll(said).toHaveLength(1)
  })

  it('with onVerdict the explanation follows what it writes, and nothing comes if there is none', async () => {
    const said = saidOnConsole()
    const listener = listenerWith({ onVerdict() {} })
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    refuse(listener, deliveryOf('{"id":"evt_1"}'), 'auth_missing')
    await expect.poll(said).toHaveLength(1)
    expect(await saidUntilLater(said)).toEqual([expect.stringContaining('No common mistake found')])
  })

  it.each([
    ['explainRefusals is false', { explainRefusals: false }, [expect.stringContaining(PLAIN)]],
    ['explainRefusals is false, and onVerdict is set', { explainRefusals: false, onVerdict() {} }, []],
    ['onVerdict is null', { onVerdict: null }, []],
  ])('nothing is explained if %s', async (_, options, lines) => {
    const said = saidOnConsole()
    refuse(listenerWith(options), deliveryOf('{"id":"evt_1"}'))
    expect(await saidUntilLater(said)).toEqual(lines)
  })

  it.each([
    [
      'a header that cannot be read',
      {
        ...deliveryOf('{}'),
        header: () => {
          throw new Error('the request is gone')
        },
      },
    ],
    ['a header of 8,193 characters', deliveryOf('{}', { 'stripe-signature': 'v'.repeat(8193) })],
  ])('what cannot be explained gets the line of before: %s', async (_, delivery) => {
    const said = saidOnConsole()
    refuse(listenerWith(), delivery)
    await expect.poll(said).toEqual([expect.stringContaining(PLAIN)])
  })

  it('a body of 16 KB is tried, and of a longer one it is said that it was not', async () => {
    const said = saidOnConsole()
    refuse(listenerWith(), deliveryOf(' '.repeat(16_384)))
    await expect.poll(said).toHaveLength(1)
    clock.advance(60_000)
    refuse(listenerWith(), deliveryOf(' '.repeat(16_385)))
    await expect.poll(said).toHaveLength(2)
    expect(said()[0]).toContain('No common mistake found')
    expect(said()[1]).toContain('The body is over 16 KB, so the well-known mistakes were not tried.')
  })

  it('the process does other work while a body of a stranger is tried', async () => {
    const members = Array.from({ length: 900 }, (_, index) => `"member-${index + 1000}":1`)
    const hostile = deliveryOf(`{${members.join()}}`.padEnd(16_384))
    const listener = listenerWith({ auth: stripe({ secrets: [SECRET, `${SECRET}0`] }) })
    let isOver = false
    const tried = tryGuesses(hostile, listener, expectedSender(listener, undefined)).finally(() => {
      isOver = true
    })
    let turns = 0
    while (!isOver) {
      turns += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await tried).says).toBeUndefined()
    expect(turns).toBeGreaterThan(5)
  })

  it('the body is not kept', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const said = saidOnConsole()
    const kept = (() => {
      const delivery = deliveryOf('{"id":"evt_1"}')
      refuse(listenerWith(), delivery)
      return new WeakRef(delivery.body)
    })()
    await expect.poll(said).toHaveLength(1)
    await expect
      .poll(() => {
        collectGarbage()
        return kept.deref()
      })
      .toBeUndefined()
  })
})

describe('what a stranger writes', () => {
  const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
  const text = fc.string({
    unit: fc.constantFrom('\u001b[2J', '\u009b31m', '\r\n', '\u202e', '\u0007', 'a', '"', '?', '/', 'é'),
    maxLength: 12,
  })

  it('no control character of a header, a URL or a detail reaches the terminal, and no second line', async () => {
    const auth = twilio({
      secrets: '0123456789abcdef0123456789abcdef',
      publicUrl: 'https://user:secret@a.example/hooks',
    })
    await fc.assert(
      fc.asyncProperty(text, text, text, async (host, query, detail) => {
        vi.restoreAllMocks()
        const said = saidOnConsole()
        clock.advance(60_000)
        const headers = {
          'x-twilio-signature': 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=',
          'x-forwarded-host': host,
          'content-type': 'application/x-www-form-urlencoded',
        }
        const delivery = { ...deliveryOf(`a=${query}`, headers), url: `/hooks?${query}` }
        const listener = listenerWith({ auth })
        const reasons = ['signature_mismatch', 'payload_invalid', 'content_type_not_accepted'] as const
        const reason = reasons[detail.length % 3] ?? 'signature_mismatch'
        warnOfRefusal({ delivery, listener }, { ok: false, reason, status: 401, detail })
        await expect.poll(said).toHaveLength(1)
        expect(said()[0]).not.toMatch(CONTROL)
        expect(said()[0]).not.toContain('user:secret')
      }),
      { numRuns: 30 },
    )
  })
})

describe('a person watches', () => {
  const process = { stderr: { isTTY: true }, env: {} }
  it.each([
    ['a terminal in Node', { process }, true],
    ['a terminal in Bun', { process, Bun: {} }, true],
    ['a terminal in development', { process: { ...process, env: { NODE_ENV: 'development' } } }, true],
    ['a terminal in production', { process: { ...process, env: { NODE_ENV: 'production' } } }, false],
    ['a pipe, as in a container', { process: { ...process, stderr: {} } }, false],
    [
      'a standard error that is closed',
      {
        process: {
          ...process,
          get stderr(): never {
            throw new Error('EBADF')
          },
        },
      },
      false,
    ],
    ['Deno, which would ask for a permission', { process, Deno: {} }, false],
    [
      'Workers, whatever they call a terminal',
      { process, navigator: { userAgent: 'Cloudflare-Workers' } },
      false,
    ],
    ['a runtime without a process', {}, false],
  ])('a person watches, or not: %s', (_, platform, watches) => {
    expect(isWatched(platform)).toBe(watches)
  })
})
