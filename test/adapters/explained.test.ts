import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { warnOfRefusal } from '../../adapters/kit/warn.ts'
import { expectedSender } from '../../src/explain/expected-sender.ts'
import { explainLine } from '../../src/explain/index.ts'
import { tryGuesses } from '../../src/explain/try-guesses.ts'
import { readerOf } from '../../src/explained.ts'
import { type Delivery, defineListener, type ListenerOptions } from '../../src/index.ts'
import type { Reason } from '../../src/reason.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'
import fc from '../support/property.ts'

const SECRET = 'whsec_explained-0123456789abcdef'
const PLAIN = 'What to do: '

/** One clock for all: a process has so many explanations a minute. */
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
  headers: { readonly [name: string]: string | undefined } = {},
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

const isExplained = (line: string) => line.includes('nothing more specific was found')

/** What the console says before the explanation of a later refusal, which begins when all others have ended. */
async function saidUntilLater(said: () => readonly string[]): Promise<readonly string[]> {
  const isLater = (line: string) => line.includes('listener "later"')
  const later = listenerWith({ id: 'later', onVerdict: undefined })
  await expect
    .poll(() => {
      const isOver = said().some((line) => isLater(line) && isExplained(line))
      clock.advance(60_000)
      if (!isOver) refuse(later, deliveryOf('{"id":"evt_1"}'))
      return isOver
    })
    .toBe(true)
  return said().filter((line) => !isLater(line))
}

describe('a refused delivery on a terminal', () => {
  it('each refusal has a line, and a new cause its explanation', async () => {
    const said = saidOnConsole()
    const listener = listenerWith()
    const start = `hookgate: listener "${listener.id}" refused a delivery: signature_mismatch`
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect
      .poll(said)
      .toEqual([
        expect.stringMatching(
          `^${start}. The secret is wrong, the body was changed, or Stripe did not send this; nothing more`,
        ),
      ])
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toEqual([expect.anything(), start])
    refuse(listener, deliveryOf(''))
    await expect
      .poll(said)
      .toEqual([expect.anything(), start, expect.stringMatching(`^${start}. The body is empty`)])
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(4)
    clock.advance(60_000)
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(5)
    expect(said().slice(3)).toEqual([start, expect.stringMatching(`^${start}. The secret is wrong`)])
  })

  it('a flood of 10,000 is explained once, in 40 lines', async () => {
    const said = saidOnConsole()
    const listener = listenerWith()
    for (let sent = 0; sent < 10_000; sent++) refuse(listener, deliveryOf('{"id":"evt_1"}'))
    expect(said()).toHaveLength(39)
    await expect.poll(said).toHaveLength(40)
    expect(said().filter(isExplained)).toHaveLength(1)
    clock.advance(999)
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    expect(said()).toHaveLength(40)
    clock.advance(1)
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(41)
  })

  it('of each reason, ten are explained in a minute, by all listeners together', async () => {
    const said = saidOnConsole()
    for (let count = 1; count <= 11; count++) {
      refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
      await expect.poll(said).toHaveLength(count)
    }
    expect(said().map(isExplained)).toEqual([...Array<boolean>(10).fill(true), false])
    expect(said()[10]).toContain(PLAIN)
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}', { 'stripe-signature': undefined }), 'auth_missing')
    await expect.poll(said).toHaveLength(12)
    expect(said()[11]).toContain('auth_missing. No Stripe-Signature header')
    clock.advance(60_000)
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toHaveLength(13)
    expect(said()[12]).toContain('nothing more specific was found')
  })

  it('while one is explained, others get the line without an explanation', async () => {
    const said = saidOnConsole()
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'), 'auth_missing')
    expect(said()).toEqual([expect.stringContaining(`auth_missing. ${PLAIN}`)])
    await expect.poll(said).toHaveLength(2)
    expect(said()[1]).not.toContain(PLAIN)
  })

  it.each(['development', 'production'])(
    'the response goes first, and nothing of the delivery is read for 20 ms (%s)',
    async (kind) => {
      vi.stubEnv('NODE_ENV', kind)
      const said = saidOnConsole()
      refuse(listenerWith(), deliveryOf(''))
      await expect.poll(() => said().at(-1)).toContain('The body is empty') // it is loaded from here on
      clock.advance(60_000)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        const before = said().length
        const { header, ...delivery } = deliveryOf('')
        const reads: string[] = []
        const read = (name: string) => {
          reads.push(name)
          return header(name)
        }
        refuse(listenerWith(), { ...delivery, header: read })
        vi.advanceTimersByTime(19)
        // What begins after it is over before.
        const refusal = { ok: false, reason: 'signature_mismatch', status: 401 } as const
        for (let count = 0; count < 10; count++)
          expect(await explainLine(deliveryOf(''), refusal, listenerWith())).toContain('The body is empty')
        expect(reads).toEqual([])
        expect(said().slice(before)).toEqual(kind === 'production' ? [expect.stringContaining(PLAIN)] : [])
        vi.advanceTimersByTime(1)
        await expect.poll(() => said().length).toBe(kind === 'production' ? before + 2 : before + 1)
        expect(reads).not.toEqual([])
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('with onVerdict the explanation follows what it writes, and nothing comes if there is none', async () => {
    const said = saidOnConsole()
    const listener = listenerWith({ onVerdict() {} })
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    refuse(listener, deliveryOf('{"id":"evt_1"}'), 'auth_missing')
    await expect.poll(said).toHaveLength(1)
    refuse(listener, deliveryOf('{"id":"evt_1"}')) // the same cause again
    expect(await saidUntilLater(said)).toEqual([expect.stringContaining('nothing more specific was found')])
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
    expect(said()[0]).toContain('nothing more specific was found')
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

describe('a refused delivery in a log', () => {
  beforeEach(() => vi.stubEnv('NODE_ENV', 'production'))

  it('a flood of 10,000 gets its line at once, and its explanation a moment later, once in a minute', async () => {
    const said = saidOnConsole()
    const listener = listenerWith()
    const flood = () => {
      for (let sent = 0; sent < 10_000; sent++) refuse(listener, deliveryOf('{"id":"evt_1"}'))
    }
    flood()
    expect(said()).toEqual([expect.stringContaining(`signature_mismatch. ${PLAIN}`)])
    await expect.poll(said).toHaveLength(2)
    clock.advance(59_999)
    flood()
    expect(said()).toHaveLength(2)
    clock.advance(1)
    flood()
    await expect.poll(said).toHaveLength(4)
    const start = `^hookgate: listener "${listener.id}" refused a delivery: signature_mismatch`
    for (const explanation of [said()[1], said()[3]]) {
      expect(explanation).toMatch(new RegExp(`${start}. The secret is wrong`))
      expect(explanation).toMatch(/ More: https:\S+#signature_mismatch$/) // no command for a developer
    }
  })

  it('of each reason, two are explained in a minute, by hundreds of listeners together', async () => {
    const said = saidOnConsole()
    for (let explanations = 1; explanations <= 2; explanations++) {
      refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
      await expect.poll(() => said().filter(isExplained)).toHaveLength(explanations)
    }
    clock.advance(59_999)
    for (let count = 0; count < 900; count++) refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}', { 'stripe-signature': undefined }), 'auth_missing')
    await expect.poll(() => said().some((line) => line.includes('No Stripe-Signature header'))).toBe(true)
    expect(said()).toHaveLength(902 + 2 + 2)
    expect(said().filter(isExplained)).toHaveLength(2)
    clock.advance(1)
    refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
    await expect.poll(() => said().filter(isExplained)).toHaveLength(3)
  })

  it('one that hangs is given up after 30 seconds, and until then no other begins', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const said = saidOnConsole()
      let asked = 0
      const authenticate = () => {
        asked += 1
        return new Promise<never>(() => {})
      }
      const unsigned = deliveryOf('{"id":"evt_1"}', { 'stripe-signature': undefined })
      const auth = { ...stripe({ secrets: SECRET }), authenticate }
      refuse(listenerWith({ auth }), unsigned, 'auth_missing')
      vi.advanceTimersByTime(20)
      await expect.poll(() => asked).toBe(1)
      vi.advanceTimersByTime(29_999)
      refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
      await vi.advanceTimersByTimeAsync(1)
      expect(said()).toHaveLength(2)
      refuse(listenerWith(), deliveryOf('{"id":"evt_1"}'))
      await expect
        .poll(() => {
          vi.advanceTimersByTime(20)
          return said().filter(isExplained)
        })
        .toHaveLength(1)
      expect(said()).toHaveLength(4)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    ['explainRefusals is false', { explainRefusals: false }, [expect.stringContaining(PLAIN)]],
    ['onVerdict is set, which has the refusal', { onVerdict() {} }, []],
    ['onVerdict is null', { onVerdict: null }, []],
  ])('nothing is explained if %s', async (_, options, lines) => {
    const said = saidOnConsole()
    refuse(listenerWith(options), deliveryOf('{"id":"evt_1"}'))
    expect(await saidUntilLater(said)).toEqual(lines)
  })

  it('HOOKGATE_EXPLAIN=1 has the lines of a terminal, also beside onVerdict', async () => {
    vi.stubEnv('HOOKGATE_EXPLAIN', '1')
    const said = saidOnConsole()
    const listener = listenerWith({ onVerdict() {} })
    refuse(listener, deliveryOf('{"id":"evt_1"}'))
    await expect.poll(said).toEqual([expect.stringContaining('To see what arrives, run: npx')])
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

describe('who reads standard error', () => {
  const process = { stderr: { isTTY: true }, env: {} }
  const closed = {
    get stderr(): never {
      throw new Error('EBADF')
    },
  }
  const inProduction = { NODE_ENV: 'production' }
  const asked = { HOOKGATE_EXPLAIN: '1' }
  it.each([
    ['a terminal in Node', { process }, 'developer'],
    ['a terminal in Bun', { process, Bun: {} }, 'developer'],
    ['a terminal in development', { process: { ...process, env: { NODE_ENV: 'development' } } }, 'developer'],
    ['a terminal in production', { process: { ...process, env: inProduction } }, 'log'],
    ['a pipe, as in a container', { process: { stderr: {}, env: {} } }, 'log'],
    ['a pipe, and HOOKGATE_EXPLAIN=1', { process: { stderr: {}, env: asked } }, 'developer'],
    ['a pipe, and HOOKGATE_EXPLAIN=0', { process: { stderr: {}, env: { HOOKGATE_EXPLAIN: '0' } } }, 'log'],
    ['production, and HOOKGATE_EXPLAIN=1', { process: { env: { ...inProduction, ...asked } } }, 'developer'],
    [
      'a standard error that is closed',
      { process: Object.assign(Object.create(closed), { env: {} }) },
      'log',
    ],
    ['tests without a terminal', { process: { stderr: {}, env: { NODE_ENV: 'test' } } }, undefined],
    ['AWS Lambda', { process: { stderr: {}, env: { AWS_LAMBDA_FUNCTION_NAME: 'hooks' } } }, undefined],
    ['Cloud Run', { process: { stderr: {}, env: { K_SERVICE: 'hooks' } } }, undefined],
    [
      'AWS Lambda, and HOOKGATE_EXPLAIN=1',
      { process: { env: { AWS_LAMBDA_FUNCTION_NAME: 'hooks', ...asked } } },
      'developer',
    ],
    ['Deno, which would ask for a permission', { process: { ...process, env: asked }, Deno: {} }, undefined],
    [
      'Workers, whatever they call a terminal',
      { process: { ...process, env: asked }, navigator: { userAgent: 'Cloudflare-Workers' } },
      undefined,
    ],
    ['a runtime without a process', {}, undefined],
  ])('%s', (_, platform, reader) => {
    expect(readerOf(platform)).toBe(reader)
  })
})
