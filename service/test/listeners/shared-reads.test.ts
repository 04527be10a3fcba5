import { expect, it } from 'vitest'
import { sharedReads } from '../../src/listeners/shared-reads.ts'

/** A table of one row whose reads end when the test says so. */
function table() {
  const begun: string[] = []
  const endings: (() => void)[] = []
  let value = 'before'
  const reads = sharedReads((id) => {
    begun.push(id)
    const seen = value
    return new Promise<string>((resolve) => endings.push(() => resolve(seen)))
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { reads, begun, endings, turn, write: (next: string) => (value = next) }
}

it('a shared read shares one read among callers of the same turn and ID', async () => {
  const { reads, begun, endings, turn } = table()
  const asked = [reads('a'), reads('a'), reads('b')]
  await turn()
  expect(begun).toStrictEqual(['a', 'b'])
  for (const end of endings) end()
  expect(await Promise.all(asked)).toStrictEqual(['before', 'before', 'before'])
})

it('a shared read never returns a read that began before the call', async () => {
  const { reads, begun, endings, turn, write } = table()
  const early = reads('a')
  await turn()
  write('after')
  const late = reads('a')
  await turn()
  expect(begun).toStrictEqual(['a', 'a'])
  for (const end of endings) end()
  expect([await early, await late]).toStrictEqual(['before', 'after'])
})

it('a shared read does not let a hanging read block later callers', async () => {
  const { reads, endings, turn } = table()
  void reads('a')
  await turn()
  const late = reads('a')
  await turn()
  endings[1]?.()
  expect(await late).toBe('before')
})

it('a shared read fails only the callers who shared the failed read', async () => {
  let attempts = 0
  const reads = sharedReads(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('the database is gone')
    return 'there'
  })
  const shared = await Promise.allSettled([reads('a'), reads('a')])
  expect(shared.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  expect(await reads('a')).toBe('there')
})
