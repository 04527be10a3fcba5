import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Manifest {
  readonly peerDependencies: { readonly [name: string]: string }
  readonly devDependencies: { readonly [name: string]: string }
  readonly dependencies: { readonly [name: string]: string }
  readonly peerDependenciesMeta: object
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(new URL(`../../${folder}package.json`, import.meta.url), 'utf8'))

const { peerDependencies, peerDependenciesMeta, devDependencies } = manifestOf('')
const { dependencies: oldest } = manifestOf('test/suites/frameworks/')

/** An alias like `npm:express@4.18.0` is a version of Express under any name. */
function versionsOf(framework: string, installed: { readonly [name: string]: string }): string[] {
  return Object.entries(installed).flatMap(([name, spec]) => {
    const [, alias, version] = /^npm:(.+)@(.+)$/.exec(spec) ?? ['', name, spec]
    return alias === framework && version !== undefined ? [version] : []
  })
}

const major = (version: string) => version.split('.')[0]

describe('the peer ranges are tested', () => {
  const ranges = Object.entries(peerDependencies).map(([framework, range]) => ({
    framework,
    from: range.split(' || ').map((part) => part.replace(/^\^/, '')),
  }))

  it.each(ranges)(
    '$framework begins, in each major, with the version of `npm run test:frameworks`',
    (range) => {
      const run = versionsOf(range.framework, oldest).toSorted()
      expect(range.from, 'peerDependencies, and test/suites/frameworks/package.json').toEqual(run)
    },
  )

  it.each(ranges)('$framework ends, in each major, with one that `npm test` runs', ({ framework, from }) => {
    const newest = versionsOf(framework, devDependencies)
    expect(newest.map(major).toSorted(), 'devDependencies, one for each major').toEqual(from.map(major))
    expect(
      newest.filter((version) => from.includes(version)),
      'newer devDependencies',
    ).toEqual([])
  })
})

it('every peer is optional, so that users install only their own framework', () => {
  const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }])
  expect(peerDependenciesMeta, 'peerDependenciesMeta in package.json').toEqual(Object.fromEntries(optional))
})
