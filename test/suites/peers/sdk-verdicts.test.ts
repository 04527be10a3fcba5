import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ask } from './senders/ask.mjs'
import { senderOf } from './senders/sender-of.mjs'
import { vectorFiles } from './vector-files.ts'

const { dependencies }: { readonly dependencies: { readonly [name: string]: string } } = JSON.parse(
  readFileSync(new URL('package.json', import.meta.url), 'utf8'),
)

const decided = vectorFiles.filter(({ cases }) => cases.some(({ sdk }) => sdk !== 'not asked'))

describe.each(decided)('the SDK of $scheme, $madeWith', (vectors) => {
  it('the SDK is the one that the vectors were made with', () => {
    const [name = '', version] = vectors.madeWith.split(' ')
    expect(dependencies[name]).toBe(version)
  })

  it('the SDK agrees with the vectors on each delivery', async () => {
    const sender = await senderOf(vectors.scheme, vectors.madeWith.split(' ')[0])
    const asked = vectors.cases.filter(({ sdk }) => sdk !== 'not asked')
    const verdicts: [string, string][] = []
    for (const given of asked) verdicts.push([given.name, await ask(sender, vectors, given)])
    expect(verdicts).toEqual(asked.map(({ name, sdk }) => [name, sdk]))
  })

  it("the SDK accepts the sender's own deliveries", () => {
    expect(vectors.cases[0]).toMatchObject({ expect: { ok: true }, sdk: 'accepts' })
  })
})

describe.each(vectorFiles)('the vectors of $scheme', ({ cases, madeWith, source }) => {
  it('the vectors give a reason exactly where we and the SDK differ', () => {
    const differs = ({ sdk, expect: { ok } }: (typeof cases)[number]) =>
      sdk !== 'not asked' && (sdk === 'accepts') !== ok
    expect(cases.filter((given) => differs(given) !== (given.why !== undefined))).toEqual([])
  })

  it('the vectors have names of their own, and both kinds of verdict', () => {
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
    expect(new Set(cases.map(({ expect: { ok } }) => ok))).toEqual(new Set([true, false]))
  })

  it('name their source', () => {
    expect(madeWith === 'documentation' ? source : madeWith).toMatch(/\S{3}/)
  })
})
