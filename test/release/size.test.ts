import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { describe, expect, inject, it } from 'vitest'
import { specifierOf, subpaths } from './manifest.ts'

type Platform = Pick<BuildOptions, 'platform' | 'conditions' | 'external'>

/** The bundle of a program, as a user's bundler would make it, and the packages that are in it. */
async function bundle(program: string, options: Platform = {}) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: inject('bare') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*'],
    write: false,
    metafile: true,
    logLevel: 'silent',
    ...options,
  })
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/([^/]+)\//.exec(path)?.[1] ?? [],
  )
  return {
    gzipped: gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length,
    packages: [...new Set(packages)].toSorted(),
    text: outputFiles[0]?.text ?? '',
  }
}

const KB = 1024
const HMAC = `export { defineListener, hmac, verify } from 'hookgate'`
const JWT = `export { jwt, remoteKeySet } from 'hookgate/jwt'`

const builds: readonly (readonly [string, Platform])[] = [
  ['for the web', {}],
  ['for Node', { platform: 'node', conditions: ['node'] }],
]

describe.each(builds)('minified and gzipped %s', (_, options) => {
  const beyond = async (program: string, ...external: readonly string[]) => {
    const { gzipped, packages } = await bundle(program, { ...options, external: ['node:*', ...external] })
    expect(packages).toEqual(['hookgate'])
    return gzipped
  }

  it('hookgate with HMAC is at most 6 KB beyond ipaddr.js', async () => {
    expect(await beyond(HMAC, 'ipaddr.js')).toBeLessThanOrEqual(6 * KB)
  })

  // Nobody has hookgate/jwt without hookgate: what they share is counted there.
  it('hookgate/jwt adds at most 4 KB to that, beyond jose', async () => {
    const both = await beyond(`${HMAC}\n${JWT}`, 'ipaddr.js', 'jose')
    expect(both - (await beyond(HMAC, 'ipaddr.js'))).toBeLessThanOrEqual(4 * KB)
  })
})

/** What a subpath may bring with it, apart from hookgate itself. */
const PACKAGES: { readonly [subpath: string]: readonly string[] } = {
  '.': ['ipaddr.js'],
  './jwt': ['jose'],
  './testing': ['jose'],
  './express': ['ipaddr.js'],
  './fastify': ['fastify-plugin', 'ipaddr.js'],
  './hono': ['ipaddr.js'],
  './web': ['ipaddr.js'],
}

describe('what a subpath brings', () => {
  it.each(subpaths)('%s: no framework, and no package that it does not need', async (subpath) => {
    const { packages } = await bundle(`export * from '${specifierOf(subpath)}'`)
    expect(packages).toEqual([...(PACKAGES[subpath] ?? []), 'hookgate'].toSorted())
  })

  it('a function that is not used brings nothing: the package has no side effects', async () => {
    const program = subpaths.map((subpath) => `import '${specifierOf(subpath)}'`).join('\n')
    expect((await bundle(program)).text.trim()).toBe('')
  })
})
