import { describe, expect, it } from 'vitest'
import { OverloadError, type Seat, Seats, type Sender } from '../../adapters/kit/seats.ts'
import fc from '../support/property.ts'

const GRACE_MS = 10_000

/** A clock that stands still until it is told to go on. */
function stopped(): { now: number } {
  return { now: 0 }
}

function bodies(maxBodies: number, maxBytes: number, clock = stopped()): Seats {
  return new Seats(maxBodies, maxBytes, GRACE_MS, () => clock.now)
}

/** A body that is arriving, and a list that tells when it is cut. */
function arriving(all: Seats, bytes = 0): { readonly body: Seat; readonly cuts: string[] } {
  const cuts: string[] = []
  const body = all.take(STAYS)
  body.allowCut(({ message }) => cuts.push(message))
  if (bytes > 0) expect(body.add(bytes)).toBeUndefined()
  return { body, cuts }
}

function sender(): { readonly leaving: Sender; readonly leave: () => void } {
  const told: (() => void)[] = []
  return {
    leaving: { whenGone: (tell) => void told.push(tell) },
    leave: () => told.forEach((tell) => void tell()),
  }
}

/** A sender that waits for its response. */
const STAYS: Sender = { whenGone() {} }

function pending() {
  let succeed: (value: string) => void = () => {}
  let fail: (error: Error) => void = () => {}
  const work = new Promise<string>((resolve, reject) => {
    succeed = resolve
    fail = reject
  })
  work.catch(() => {}) // not every test waits for it
  return { work, succeed: () => succeed('made'), fail: () => fail(new Error('no key')) }
}

/** How many more bodies fit, none of which can be cut. */
function free(all: Seats): number {
  const entered: Seat[] = []
  try {
    for (;;) entered.push(all.take(STAYS))
  } catch (error) {
    expect(error).toBeInstanceOf(OverloadError)
  }
  for (const body of entered) body.leave()
  return entered.length
}

describe('too many bodies', () => {
  it('new bodies are refused if all are complete, and the newest learns why', () => {
    const all = bodies(2, 1000)
    all.take(STAYS)
    all.take(STAYS)
    expect(() => all.take(STAYS)).toThrow('2 bodies are in flight already (maxConcurrentBodies)')
  })

  it('the incomplete body with the lowest rate since its first byte is cut, even if it began later or has more bytes', () => {
    const clock = stopped()
    const all = bodies(3, 10_000, clock)
    const fast = arriving(all, 900)
    clock.now = 1000
    const slow = arriving(all, 100)
    clock.now = 2000
    const late = arriving(all)
    clock.now = 5000
    late.body.add(1)
    clock.now = 5001 // rates a second: 180, 25 and 1000
    all.take(STAYS)
    expect([fast.cuts.length, slow.cuts.length, late.cuts.length]).toEqual([0, 1, 0])
    expect(slow.cuts[0]).toMatch('maxConcurrentBodies), and this one was the slowest to arrive')
    clock.now = 9000 // 100 and 0.25
    all.take(STAYS)
    expect([fast.cuts.length, late.cuts.length]).toEqual([0, 1])
  })

  it('an idle body is cut rather than a new one that has sent nothing yet', () => {
    const clock = stopped()
    const all = bodies(2, 1000, clock)
    const idle = arriving(all, 1)
    clock.now = 1000
    const fresh = arriving(all)
    clock.now = 1200
    all.take(STAYS)
    expect([idle.cuts.length, fresh.cuts.length]).toEqual([1, 0])
  })

  it('the body that has waited longest is cut, if none has sent anything', () => {
    const clock = stopped()
    const all = bodies(2, 1000, clock)
    const [first, second] = [arriving(all), arriving(all)]
    all.take(STAYS)
    expect([first.cuts.length, second.cuts.length]).toEqual([1, 0])
  })

  it('a complete body is never cut, and no body is cut twice', () => {
    const all = bodies(2, 1000)
    const complete = arriving(all, 1)
    complete.body.arrived()
    const cut = arriving(all, 1)
    all.take(STAYS)
    expect(() => all.take(STAYS)).toThrow(OverloadError)
    expect([complete.cuts.length, cut.cuts.length]).toEqual([0, 1])
  })
})

describe('too many bytes', () => {
  it('only bytes that have arrived count', () => {
    const all = bodies(10, 1000)
    arriving(all, 999)
    const { body, cuts } = arriving(all)
    expect(body.add(1)).toBeUndefined()
    expect(cuts).toEqual([])
  })

  it('as many slow bodies are cut as needed, but none that holds nothing', () => {
    const clock = stopped()
    const all = bodies(10, 1000, clock)
    const empty = arriving(all)
    const slow = [arriving(all, 1), arriving(all, 200)]
    clock.now = 1000
    const fast = arriving(all, 500)
    clock.now = 1100
    expect(fast.body.add(400)).toBeUndefined()
    expect([empty, ...slow, fast].map(({ cuts }) => cuts.length)).toEqual([0, 1, 1, 0])
    expect(slow[1]?.cuts[0]).toMatch(
      '701 bytes of bodies are in flight, and 400 more are too many (maxConcurrentBytes), and this one',
    )
  })

  it('the body that the bytes belong to is cut, if it is the slowest', () => {
    const clock = stopped()
    const all = bodies(10, 1000, clock)
    const slow = arriving(all, 1)
    clock.now = 10_000
    const fast = arriving(all, 900)
    clock.now = 10_001
    expect(slow.body.add(100)?.message).toBe(
      '901 bytes of bodies are in flight, and 100 more are too many (maxConcurrentBytes)',
    )
    slow.body.leave()
    expect(fast.body.add(100)).toBeUndefined()
  })

  it('the newest body is refused, if all others are complete', () => {
    const all = bodies(10, 1000)
    all.grant(STAYS, 999)
    const newest = all.take(STAYS)
    expect(newest.add(1)).toBeUndefined()
    expect(newest.add(1)).toBeInstanceOf(OverloadError)
  })
})

describe('the room of a body', () => {
  it('the room of a body is given back once, however often it leaves', () => {
    const all = bodies(2, 1000)
    const first = all.take(STAYS)
    first.add(600)
    first.leave()
    first.leave()
    first.add(1)
    expect(free(all)).toBe(2)
    expect(all.take(STAYS).add(1000)).toBeUndefined()
  })

  it.each(['succeed', 'fail'] as const)(
    'the room of a body is kept while work holds the body, and after it (%s)',
    async (how) => {
      const all = bodies(1, 1000)
      const body = all.take(sender().leaving)
      const work = pending()
      const made = body.wait(work.work).catch(({ message }) => message)
      expect(free(all)).toBe(0)
      work[how]()
      expect(await made).toBe(how === 'succeed' ? 'made' : 'no key')
      expect(free(all)).toBe(0)
      body.leave()
      expect(free(all)).toBe(1)
    },
  )

  it('the room of a body is kept for work that goes on after its sender has left, and given to others only after a while', () => {
    const clock = stopped()
    const all = bodies(1, 1000, clock)
    const { leaving, leave } = sender()
    void all.take(leaving).wait(new Promise(() => {}))
    clock.now = 100 * GRACE_MS
    expect(free(all)).toBe(0)
    leave()
    leave()
    clock.now += GRACE_MS - 1
    expect(free(all)).toBe(0)
    clock.now += 1
    expect(free(all)).toBe(1)
  })

  it('the room of a body is given to bytes, too, when its sender left a while ago', () => {
    const clock = stopped()
    const all = bodies(2, 1000, clock)
    const { leaving, leave } = sender()
    const waiting = all.take(leaving)
    waiting.add(1000)
    void waiting.wait(new Promise(() => {}))
    leave()
    clock.now = GRACE_MS
    expect(all.take(STAYS).add(1000)).toBeUndefined()
  })

  it('the room of a body stays with a body whose sender leaves after the work', async () => {
    const clock = stopped()
    const all = bodies(1, 1000, clock)
    const { leaving, leave } = sender()
    await all.take(leaving).wait(Promise.resolve('made'))
    leave()
    clock.now = 2 * GRACE_MS
    expect(free(all)).toBe(0)
  })

  it('the room of the body whose sender left first goes first, though it waits for something else since', async () => {
    const clock = stopped()
    const all = bodies(2, 1000, clock)
    const [early, late] = [sender(), sender()]
    const { work, succeed } = pending()
    const body = all.take(early.leaving)
    const keys = body.wait(work)
    void all.take(late.leaving).wait(new Promise(() => {}))
    early.leave()
    clock.now = GRACE_MS / 2
    late.leave()
    succeed()
    await keys
    void body.wait(new Promise(() => {})) // e.g. its claim
    clock.now = GRACE_MS
    expect(free(all)).toBe(1)
  })

  it('the room of a body is given away once, though its work goes on to wait for something else', async () => {
    const clock = stopped()
    const all = bodies(1, 1000, clock)
    const { leaving, leave } = sender()
    const { work, succeed } = pending()
    const body = all.take(leaving)
    body.add(1000)
    const keys = body.wait(work)
    leave()
    clock.now = GRACE_MS
    const next = all.take(STAYS) // has its room
    succeed()
    await keys
    void body.wait(new Promise(() => {})) // e.g. its claim
    expect(() => all.take(STAYS)).toThrow(OverloadError)
    expect(next.add(1000)).toBeUndefined()
    expect(next.add(1)).toBeInstanceOf(OverloadError)
  })
})

const step = fc.record({
  act: fc.constantFrom(
    'enter',
    'arrive',
    'add',
    'complete',
    'wait',
    'succeed',
    'fail',
    'leave',
    'end',
    'tick',
  ),
  which: fc.nat(),
  bytes: fc.integer({ min: 0, max: 400 }),
})

it('no room is lost and none is given back twice, whatever happens to bodies in any order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const clock = stopped()
      const all = bodies(4, 1000, clock)
      const known: {
        body: Seat
        sender: ReturnType<typeof sender>
        work: ReturnType<typeof pending>
      }[] = []
      const live = new Set<Seat>()
      const leave = (body: Seat) => {
        live.delete(body)
        body.leave()
      }
      for (const { act, which, bytes } of steps) {
        if (act === 'tick') clock.now += GRACE_MS / 2
        if (act === 'enter') {
          try {
            const one = { sender: sender(), work: pending() }
            const body = all.take(one.sender.leaving)
            known.push({ body, ...one })
            live.add(body)
          } catch (error) {
            expect(error).toBeInstanceOf(OverloadError)
          }
        }
        const one = known[which % known.length]
        if (one === undefined) continue
        const { body } = one
        if (act === 'arrive' && live.has(body)) body.allowCut(() => void live.delete(body))
        if (act === 'add' && body.add(bytes)) leave(body)
        if (act === 'complete') body.arrived()
        if (act === 'wait') void body.wait(one.work.work).catch(() => {})
        if (act === 'succeed') one.work.succeed()
        if (act === 'fail') one.work.fail()
        if (act === 'succeed' || act === 'fail') one.work = pending()
        if (act === 'leave') one.sender.leave()
        if (act === 'end') leave(body)
        await Promise.resolve()
        expect([...live].reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(1000 + 400)
      }
      for (const { body } of known) leave(body)
      expect([free(all), all.arriving.size, all.abandoned.size]).toEqual([4, 0, 0])
      const last = all.take(STAYS)
      expect(last.add(1000)).toBeUndefined()
      expect(last.add(1)).toBeInstanceOf(OverloadError)
    }),
  )
})
