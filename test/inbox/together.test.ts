import { describe, expect, it } from 'vitest'
import { Together } from '../../src/inbox/together.ts'

/** Keeps each statement until it is answered. */
function statements() {
  const sent: { keys: string[]; answer(): void; fail(error: Error): void }[] = []
  const together = new Together<{ key: string }, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const keys = items.map(({ key }) => key)
        sent.push({ keys, answer: () => resolve(keys.map((key) => `answer to ${key}`)), fail: reject })
      }),
  )
  return { sent, ask: (key: string) => together.ask({ key }) }
}

describe('what is asked for together', () => {
  it('what is asked for in one turn goes by one statement, each with its own answer', async () => {
    const { sent, ask } = statements()
    const answers = Promise.all(['a', 'b', 'c'].map(ask))
    await expect.poll(() => sent.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']])
    sent[0]?.answer()
    expect(await answers).toEqual(['answer to a', 'answer to b', 'answer to c'])
  })

  it('what comes while a statement is on its way waits for its end, and goes by the next one', async () => {
    const { sent, ask } = statements()
    const first = ask('a')
    await expect.poll(() => sent.length).toBe(1)
    const others = Promise.all([ask('b'), ask('c')])
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(sent.length).toBe(1)
    sent[0]?.answer()
    expect(await first).toBe('answer to a')
    await expect.poll(() => sent.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']])
    sent[1]?.answer()
    expect(await others).toEqual(['answer to b', 'answer to c'])
  })

  it('two with one key never share a statement', async () => {
    const { sent, ask } = statements()
    const answers = Promise.all([ask('a'), ask('a'), ask('b')])
    await expect.poll(() => sent.map(({ keys }) => keys)).toEqual([['a', 'b']])
    sent[0]?.answer()
    await expect.poll(() => sent.map(({ keys }) => keys)).toEqual([['a', 'b'], ['a']])
    sent[1]?.answer()
    expect(await answers).toHaveLength(3)
  })

  it('a statement that fails rejects its own, and those after it go on', async () => {
    const { sent, ask } = statements()
    const failing = Promise.allSettled([ask('a'), ask('b')])
    await expect.poll(() => sent.length).toBe(1)
    const next = ask('c')
    sent[0]?.fail(new Error('away'))
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect.poll(() => sent.length).toBe(2)
    sent[1]?.answer()
    expect(await next).toBe('answer to c')
  })
})
