import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { expect, inject, it } from 'vitest'

const tarball = readFileSync(inject('tarball'))

/** Findings of attw that we accept, because the package is meant to be like this. */
const ALLOWED: readonly { readonly problem: string; readonly because: string }[] = [
  {
    problem: 'CJSResolvesToESM in node16-cjs',
    because:
      'ESM only: Node since 20.19 and 22.12 can require() it, and TypeScript knows under node20 and nodenext',
  },
]

function nameOf(problem: Problem): string {
  return 'resolutionKind' in problem ? `${problem.kind} in ${problem.resolutionKind}` : problem.kind
}

it('attw finds nothing but what is allowed, and everything that is allowed', async () => {
  const result = await checkPackage(createPackageFromTarballData(tarball))
  const found = result.types === false ? ['no types'] : result.problems.map(nameOf)
  expect([...new Set(found)].toSorted()).toEqual(ALLOWED.map(({ problem }) => problem))
})

it('publint finds nothing at all, suggestions included', async () => {
  const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  expect(messages).toEqual([])
})
