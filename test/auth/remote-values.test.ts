import { describe, expect, it } from 'vitest'
import type { RemoteOptions } from '../../src/auth/remote-options.ts'
import { RemoteValues } from '../../src/auth/remote-values.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { unavailable } from '../support/jwt-listener.ts'

/** Values by name from a fake host, and the names it was asked for. */
function remote(answer: (name: string) => Promise<string | undefined>, options: RemoteOptions = {}) {
  const clock: FakeClock = fakeClock()
  const asked: string[] = []
  const values = new RemoteValues(
    'the host',
    (name) => {
      asked.push(name)
      return answer(name)
    },
    { clock, ...options },
  )
  const get = async (name: string) => values.get(name, (value) => value)
  return { clock, asked, get }
}

const upper = async (name: string) => name.toUpperCase()
const down = async () => {
  throw new Error('is down')
}
const manyNames = (count: number, prefix = 'name') =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`)

describe('a value by name', () => {
  it('is requested once for all waiting callers', async () => {
    const { asked, get } = remote(upper)
    const found = await Promise.all(manyNames(50).map(() => get('a')))
    expect(new Set(found)).toEqual(new Set(['A']))
    expect(await get('a')).toBe('A')
    expect(asked).toEqual(['a'])
  })

  it('is renewed after 5 minutes, while nobody waits', async () => {
    const { asked, clock, get } = remote(upper)
    await get('a')
    clock.advance(299_999)
    await get('a')
    expect(asked).toHaveLength(1)
    clock.advance(1)
    expect(await get('a')).toBe('A')
    expect(asked).toHaveLength(2)
  })

  it('outlives a host that is down, for maxStaleSeconds', async () => {
    let isDown = false
    const { clock, get } = remote((name) => (isDown ? down() : upper(name)), { maxStaleSeconds: 100 })
    await get('a')
    isDown = true
    clock.advanceSeconds(699)
    expect(await get('a')).toBe('A')
    clock.advanceSeconds(1)
    await expect(get('a')).rejects.toMatchObject(unavailable(/^the host is down$/))
  })

  it('is requested once in 30 s if that fails', async () => {
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

  it('that is missing may appear 30 s later', async () => {
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
})

describe('names that strangers make up', () => {
  it.each([
    ['are unknown to the key host', async () => undefined],
    ['get no answer from the key host', down],
  ])('share ten attempts in 30 s, also when they %s', async (_, answer) => {
    const { asked, clock, get } = remote(answer)
    for (const round of [1, 2]) {
      const answers = await Promise.allSettled(manyNames(1000, `round-${round}`).map(get))
      expect(asked).toHaveLength(10 * round)
      expect(answers.at(-1)).toMatchObject({
        reason: unavailable(/^the host was not asked: too many unknown names$/, 30),
      })
      clock.advanceSeconds(30)
    }
  })

  it('do not displace a name that has a value', async () => {
    const { asked, clock, get } = remote(async (name) => (name === 'a' ? 'A' : undefined))
    await get('a')
    for (let round = 0; round < 30; round += 1) {
      await Promise.allSettled(manyNames(10, `round-${round}`).map(get))
      clock.advanceSeconds(9)
      expect(await get('a')).toBe('A')
    }
    expect(asked.filter((name) => name === 'a')).toHaveLength(1)
  })

  it('never keep a known name from its renewal', async () => {
    const { asked, clock, get } = remote(async (name) => (name === 'a' ? 'A' : undefined))
    await get('a')
    clock.advanceSeconds(300)
    await Promise.allSettled(manyNames(50).map(get))
    expect(await get('a')).toBe('A')
    expect(asked.filter((name) => name === 'a')).toHaveLength(2)
  })

  it('are remembered up to 100, and the oldest name with a value makes room', async () => {
    const { asked, clock, get } = remote(upper)
    for (const name of manyNames(101)) {
      clock.advanceSeconds(3)
      await get(name)
    }
    asked.length = 0
    clock.advanceSeconds(30)
    await get('name-100')
    await get('name-50')
    expect(asked).toEqual([])
    await get('name-0')
    expect(asked).toEqual(['name-0'])
  })
})
