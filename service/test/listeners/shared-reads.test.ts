import { expect, it } from 'vitest'
import { SharedReads } from '../../src/listeners/shared-reads.ts'

/** A table of one row whose reads end when the test says so. */
function table() {
  const begun: string[] = []
  const endings: (() => void)[] = []
  let value = 'before'
  const reads = new SharedReads((id) => {
    begun.push(id)
    const seen = value
    return new Promise<string>((resolve) => endings.push(() => resolve(seen)))
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { reads, begun, endings, turn, write: (next: string) => (value = next) }
}

it('who asks in the same turn shares one read; another ID has its own', async () => {
  const { reads, begun, endings, turn } = table()
  const asked = [reads.find('a'), reads.find('a'), reads.find('b')]
  await turn()
  expect(begun).toStrictEqual(['a', 'b'])
  for (const end of endings) end()
  expect(await Promise.all(asked)).toStrictEqual(['before', 'before', 'before'])
})

it('nobody is given a read that began before the question', async () => {
  const { reads, begun, endings, turn, write } = table()
  const early = reads.find('a')
  await turn()
  write('after')
  const late = reads.find('a')
  await turn()
  expect(begun).toStrictEqual(['a', 'a'])
  for (const end of endings) end()
  expect([await early, await late]).toStrictEqual(['before', 'after'])
})

it('a read that never ends holds up nobody who asks later', async () => {
  const { reads, endings, turn } = table()
  void reads.find('a')
  await turn()
  const late = reads.find('a')
  await turn()
  endings[1]?.()
  expect(await late).toBe('before')
})

it('a read that fails, fails for those who shared it only', async () => {
  let attempts = 0
  const reads = new SharedReads(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('the database is gone')
    return 'there'
  })
  const shared = await Promise.allSettled([reads.find('a'), reads.find('a')])
  expect(shared.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  expect(await reads.find('a')).toBe('there')
})
