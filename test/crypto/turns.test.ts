import { describe, expect, it } from 'vitest'
import { ABANDONED, abandon, BYTES_A_TURN, joinInTurns, turnFor } from '../../src/crypto/turns.ts'
import { turnsOf } from '../support/turns-of.ts'

const bytes = () => new Uint8Array(1)

describe('turnFor', () => {
  it('what asks for a whole allowance gets a turn of its own', async () => {
    const all = Array.from({ length: 20 }, () => turnFor(bytes(), BYTES_A_TURN))
    expect(await turnsOf(Promise.all(all))).toBeGreaterThanOrEqual(19)
  })

  it('small work shares a turn, so that a thousand secrets take no thousand turns', async () => {
    const all = Array.from({ length: 1000 }, () => turnFor(bytes(), BYTES_A_TURN / 250))
    expect(await turnsOf(Promise.all(all))).toBeLessThanOrEqual(6)
  })

  it('work is served in the order in which it asked, and what asks again comes after all others', async () => {
    const served: string[] = []
    const work = async (name: string) => {
      for (let step = 1; step <= 3; step += 1) {
        await turnFor(bytes(), BYTES_A_TURN)
        served.push(name + step)
      }
    }
    await Promise.all([work('a'), work('b'), work('c')])
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
  })

  it('work on abandoned bytes is rejected at its next turn, and costs the others nothing', async () => {
    const unwanted = bytes()
    const rejected = Array.from({ length: 500 }, () =>
      turnFor(unwanted, BYTES_A_TURN).catch((error) => error),
    )
    const wanted = turnFor(bytes(), BYTES_A_TURN)
    abandon(unwanted)
    expect(await turnsOf(wanted)).toBeLessThanOrEqual(2)
    expect(new Set(await Promise.all(rejected))).toEqual(new Set([ABANDONED]))
    await expect(turnFor(unwanted, 1)).rejects.toBe(ABANDONED)
  })

  it('the queue goes on after it was empty, and after work that was rejected', async () => {
    const unwanted = bytes()
    abandon(unwanted)
    await expect(turnFor(unwanted, 1)).rejects.toBe(ABANDONED)
    await turnFor(bytes(), 1)
    await turnFor(bytes(), BYTES_A_TURN)
  })
})

describe('joinInTurns', () => {
  it('chunks are joined in order, a part in each turn', async () => {
    const chunks = [3, 0, 2 * BYTES_A_TURN + 1, BYTES_A_TURN, 1].map((length, index) =>
      new Uint8Array(length).fill(index + 1),
    )
    const joining = joinInTurns(chunks, 3 * BYTES_A_TURN + 5)
    expect(await turnsOf(joining)).toBeGreaterThanOrEqual(2)
    expect(Buffer.from(await joining).equals(Buffer.concat(chunks))).toBe(true)
  })

  it('no chunks are no bytes', async () => {
    expect(await joinInTurns([], 0)).toStrictEqual(new Uint8Array(0))
  })
})
