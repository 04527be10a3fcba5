import { describe, expect, it } from 'vitest'
import { RemoteCache } from '../../src/auth/remote-cache.ts'
import type { RemoteOptions } from '../../src/auth/remote-value.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'
import fc from '../support/property.ts'

type Answer = (name: string) => Promise<string | undefined>

/** Values by name from a fake host, and the names it was asked for. */
function remote(answer: Answer, options: RemoteOptions = {}, most?: { perSource: number; renewals: number }) {
  const clock: FakeClock = fakeClock()
  const asked: string[] = []
  const values = new RemoteCache(
    'the host',
    (name) => {
      asked.push(name)
      return answer(name)
    },
    { clock, ...options },
    most,
  )
  const get = async (name: string, address?: string) => values.get(name, address, (value) => value)
  return { clock, asked, get }
}

const upper = async (name: string) => name.toUpperCase()
const noSuchName = async () => undefined
const down = async () => {
  throw new Error('is down')
}
const never = () => new Promise<undefined>(() => {})
const manyNames = (count: number, prefix = 'name') =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

const NOT_ASKED = /^the host was not asked: too many unknown names$/

describe('a value by name', () => {
  it('a value is requested once for all waiting callers', async () => {
    const { asked, get } = remote(upper)
    const found = await Promise.all(manyNames(50).map(() => get('a')))
    expect(new Set(found)).toEqual(new Set(['A']))
    expect(await get('a')).toBe('A')
    expect(asked).toEqual(['a'])
  })

  it('a value is renewed after 5 minutes, while nobody waits', async () => {
    const { asked, clock, get } = remote(upper)
    await get('a')
    clock.advance(299_999)
    await get('a')
    expect(asked).toHaveLength(1)
    clock.advance(1)
    expect(await get('a')).toBe('A')
    expect(asked).toHaveLength(2)
  })

  it('a value outlives a host that is down, for maxStaleSeconds', async () => {
    let isDown = false
    const { clock, get } = remote((name) => (isDown ? down() : upper(name)), { maxStaleSeconds: 100 })
    await get('a')
    isDown = true
    clock.advanceSeconds(699)
    expect(await get('a')).toBe('A')
    clock.advanceSeconds(1)
    await expect(get('a')).rejects.toMatchObject(unavailable(/^the host is down$/))
  })

  it('a value is requested once in 30 s if that fails', async () => {
    const { asked, clock, get } = remote(down)
    for (const second of [0, 29]) {
      clock.advanceSeconds(second)
      await expect(get('a')).rejects.toMatchObject(unavailable(/^the host is down$/, 30 - second))
    }
    expect(asked).toHaveLength(1)
    clock.advanceSeconds(1)
    await expect(get('a')).rejects.toMatchObject(unavailable(/is down/, 30))
    expect(asked).toHaveLength(2)
  })

  it('a name is undecided while the host is down, also if it had no value before; a value stays known', async () => {
    let isDown = false
    const { clock, get } = remote((name) => (isDown ? down() : name === 'a' ? upper(name) : noSuchName()))
    expect([await get('a'), await get('b')]).toEqual(['A', undefined])
    isDown = true
    clock.advance(29_999)
    expect([await get('a'), await get('b')]).toEqual(['A', undefined])
    clock.advance(1)
    for (const name of ['b', 'c']) {
      await expect(get(name)).rejects.toMatchObject(unavailable(/^the host is down$/, 30))
    }
    expect(await get('a')).toBe('A')
    isDown = false
    clock.advanceSeconds(30)
    expect([await get('a'), await get('b')]).toEqual(['A', undefined])
  })

  it('a value that is missing may appear 30 s later', async () => {
    let isThere = false
    const { asked, clock, get } = remote(async () => (isThere ? 'A' : undefined))
    expect([await get('a'), await get('a')]).toEqual([undefined, undefined])
    isThere = true
    clock.advance(29_999)
    expect(await get('a')).toBeUndefined()
    clock.advance(1)
    expect(await get('a')).toBe('A')
    expect(asked).toHaveLength(2)
  })

  it('a value is forgotten once the host no longer has it', async () => {
    let isThere = true
    const { asked, clock, get } = remote(async () => (isThere ? 'A' : undefined))
    await get('a')
    isThere = false
    clock.advanceSeconds(600)
    expect(await get('a')).toBeUndefined()
    for (const name of manyNames(3)) await get(name)
    await expect(get('a')).rejects.toMatchObject(unavailable(NOT_ASKED))
    expect(asked).toHaveLength(5)
  })

  it('a value is one of at most 100, and the one that was fetched first makes room', async () => {
    const { clock, get } = remote((name) => (name.startsWith('other') ? noSuchName() : upper(name)))
    for (const [index, name] of manyNames(101).entries()) {
      clock.advanceSeconds(3)
      await get(name, `192.0.2.${index}`)
    }
    clock.advanceSeconds(30)
    // This address may fetch no further name.
    for (const name of manyNames(3, 'other')) await get(name, '198.51.100.1')
    await expect(get('name-0', '198.51.100.1')).rejects.toMatchObject(unavailable(NOT_ASKED))
    expect(await get('name-1', '198.51.100.1')).toBe('NAME-1')
  })
})

describe('names that strangers make up', () => {
  it.each([
    ['are unknown to the key host', noSuchName],
    ['get no answer from the key host', down],
    ['have a value', upper],
  ])('one address gets three fetches in 30 s, also when they %s', async (_, answer) => {
    const { asked, clock, get } = remote(answer)
    for (const round of [1, 2]) {
      const names = manyNames(1000, `round-${round}`)
      const answers = await Promise.allSettled(names.map((name) => get(name, '192.0.2.1')))
      expect(asked).toHaveLength(3 * round)
      expect(answers.at(-1)).toMatchObject({ reason: unavailable(NOT_ASKED, 30) })
      clock.advanceSeconds(30)
    }
  })

  it('all addresses together get ten fetches in 30 s', async () => {
    const { asked, clock, get } = remote(noSuchName)
    for (const [index, name] of manyNames(10).entries()) {
      expect(await get(name, `192.0.2.${index}`)).toBeUndefined()
      clock.advanceSeconds(2)
    }
    await expect(get('another', '192.0.2.10')).rejects.toMatchObject(unavailable(NOT_ASKED, 10))
    clock.advance(9999)
    await expect(get('another', '192.0.2.10')).rejects.toMatchObject(unavailable(NOT_ASKED, 1))
    clock.advance(1)
    expect(await get('another', '192.0.2.10')).toBeUndefined()
    expect(asked).toHaveLength(11)
  })

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0:ffff::'],
    [undefined, undefined],
    [undefined, 'not an address'],
  ])('unknown names from %s and from %s share the fetches of one address', async (first, second) => {
    const { get } = remote(noSuchName)
    for (const name of manyNames(3)) await get(name, first)
    await expect(get('another', second)).rejects.toMatchObject(unavailable(NOT_ASKED))
  })

  it.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8::1', '2001:db8:0:1::1'],
    ['192.0.2.1', undefined],
    ['192.0.2.1', '::192.0.2.1'],
  ])('unknown names from %s leave fetches to %s', async (first, second) => {
    const { get } = remote(noSuchName)
    for (const name of manyNames(3)) await get(name, first)
    expect(await get('another', second)).toBeUndefined()
  })

  it('unknown names wait as long as their own address must, while others have fetches left', async () => {
    const { clock, get } = remote(noSuchName)
    await get('first', '192.0.2.2')
    clock.advanceSeconds(10)
    for (const name of manyNames(3)) await get(name, '192.0.2.1')
    clock.advanceSeconds(5)
    await expect(get('another', '192.0.2.1')).rejects.toMatchObject(unavailable(NOT_ASKED, 25))
  })

  it('unknown names do not delay a name that was refused a fetch', async () => {
    const { asked, clock, get } = remote(noSuchName)
    for (const name of manyNames(3)) await get(name, '192.0.2.1')
    await expect(get('a', '192.0.2.1')).rejects.toMatchObject(unavailable(NOT_ASKED))
    expect(await get('a', '192.0.2.2')).toBeUndefined()
    clock.advanceSeconds(30)
    await get('a', '192.0.2.1')
    expect(asked.filter((name) => name === 'a')).toHaveLength(2)
  })

  it('a sender shares a fetch that a stranger began', async () => {
    const { asked, get } = remote(upper)
    const theirs = get('a', '192.0.2.1')
    expect(await get('a', '192.0.2.2')).toBe('A')
    expect(await theirs).toBe('A')
    expect(asked).toEqual(['a'])
  })

  it('unknown names count until their fetch ends, however long the timeout is', async () => {
    let answerAll = () => {}
    const answered = new Promise<undefined>((resolve) => {
      answerAll = () => resolve(undefined)
    })
    const { asked, clock, get } = remote(() => answered, { timeoutSeconds: 600 })
    const waiting = manyNames(3).map((name) => get(name, '192.0.2.1'))
    clock.advanceSeconds(500)
    await expect(get('another', '192.0.2.1')).rejects.toMatchObject(unavailable(NOT_ASKED, 1))
    answerAll()
    await Promise.all(waiting)
    expect(await get('another', '192.0.2.1')).toBeUndefined()
    expect(asked).toHaveLength(4)
  })

  it('unknown names displace no value', async () => {
    const { clock, get } = remote(async (name) => (name.startsWith('known') ? 'A' : undefined))
    const known = manyNames(100, 'known')
    for (const [index, name] of known.entries()) {
      if (index % 10 === 0) clock.advanceSeconds(30)
      await get(name, `192.0.2.${index}`)
    }
    clock.advanceSeconds(30)
    for (const [index, name] of manyNames(9, 'invented').entries()) await get(name, `198.51.100.${index % 3}`)
    // This address may fetch no further name.
    for (const name of known) expect(await get(name, '198.51.100.0')).toBe('A')
  })

  it('unknown names never keep a known name from its renewal', async () => {
    const { asked, clock, get } = remote(async (name) => (name === 'a' ? 'A' : undefined))
    await get('a')
    clock.advanceSeconds(300)
    await Promise.allSettled(manyNames(50).map((name, index) => get(name, `192.0.2.${index}`)))
    expect(await get('a')).toBe('A')
    expect(asked.filter((name) => name === 'a')).toHaveLength(2)
  })
})

it('known names are renewed ten times in 30 s, and those that wait keep their values', async () => {
  const { asked, clock, get } = remote(upper)
  const names = manyNames(20)
  for (const [index, name] of names.entries()) {
    clock.advanceSeconds(3)
    await get(name, `192.0.2.${index}`)
  }
  clock.advanceSeconds(600)
  asked.length = 0
  for (const name of names) expect(await get(name)).toBe(name.toUpperCase())
  expect(asked).toHaveLength(10)
  expect(await get('new')).toBe('NEW')
  clock.advanceSeconds(30)
  asked.length = 0
  for (const name of names) await get(name)
  expect(asked).toHaveLength(10)
})

describe('any mix of names, addresses and answers', () => {
  const ANSWERS: readonly Answer[] = [upper, noSuchName, down, never]
  const step = fc.record({
    name: fc.nat(200),
    address: fc.nat(30),
    waitMs: fc.oneof({ weight: 40, arbitrary: fc.nat(500) }, { weight: 1, arbitrary: fc.nat(400_000) }),
  })

  it('a mix of names, addresses and answers causes at most 40 fetches in 60 s', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 300, maxLength: 600 }),
        fc.func(fc.nat(3)),
        async (steps, kindOf) => {
          const times: number[] = []
          const { clock, get } = remote(async (name) => {
            times.push(clock.now())
            return await ANSWERS[kindOf(name)]?.(name)
          })
          for (const { name, address, waitMs } of steps) {
            clock.advance(waitMs)
            void get(`name-${name}`, `192.0.2.${address}`).catch(() => {})
            await new Promise((resolve) => setImmediate(resolve))
          }
          for (const from of times) {
            expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(40)
          }
        },
      ),
      { numRuns: 50 },
    )
  })
})
