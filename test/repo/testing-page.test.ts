import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8')
const [, config = ''] = /```js\n\/\/ jest\.config\.cjs\nmodule\.exports = (\{.*?\n\})\n```/s.exec(page) ?? []
const { transformIgnorePatterns }: { readonly transformIgnorePatterns: readonly string[] } = new Function(
  `return ${config}`,
)()

/** As Jest asks: a file that one of the patterns fits is not transformed. On Windows it reads `/` as a backslash. */
const isTransformed = (path: string) =>
  !transformIgnorePatterns.some((pattern) => {
    const ofSystem = path.includes('\\') ? pattern.replaceAll('/', '\\\\') : pattern
    return new RegExp(ofSystem).test(path)
  })

/** Where installers put a package: as pnpm 10, Yarn 4 and Bun 1.3 did it for this package and jose. */
const FOLDERS: readonly (readonly [installer: string, folderOf: (name: string) => string])[] = [
  ['npm', (name) => `node_modules/${name}`],
  ['npm, in a workspace', (name) => `node_modules/app/node_modules/${name}`],
  ['pnpm', (name) => `node_modules/.pnpm/${name}@0.1.0/node_modules/${name}`],
  ['pnpm, a tarball', (name) => `node_modules/.pnpm/${name}@file+..+x.tgz_hono@4.13.19/node_modules/${name}`],
  ['Bun', (name) => `node_modules/.bun/${name}@0.1.0/node_modules/${name}`],
  ['Yarn with nodeLinker: pnpm', (name) => `node_modules/.store/${name}-npm-0.1.0-4d689c30b0/package`],
  ['the same with peers', (name) => `node_modules/.store/${name}-virtual-108305f17d/package`],
  ['Yarn Plug’n’Play', (name) => `.yarn/cache/${name}-npm-0.1.0-4d689c30b0-8.zip/node_modules/${name}`],
  [
    'the same with peers',
    (name) => `.yarn/__virtual__/${name}-virtual-1083/0/cache/${name}-npm-0.1.0-4d.zip/node_modules/${name}`,
  ],
]

describe('the pattern of docs/testing.md for an app that is CommonJS', () => {
  it.each(FOLDERS)('%s: Jest transforms the two ES modules, and no other package', (_, folderOf) => {
    for (const root of ['/home/me/app/', '/home/me/node_modules/app/']) {
      expect(isTransformed(`${root}${folderOf('hookgate')}/dist/src/index.js`)).toBe(true)
      expect(isTransformed(`${root}${folderOf('jose')}/dist/webapi/index.js`)).toBe(true)
      expect(isTransformed(`${root}${folderOf('lru-cache')}/dist/commonjs/index.js`)).toBe(false)
      expect(isTransformed(`${root}${folderOf('not-hookgate')}/index.js`)).toBe(false)
    }
    const path = `C:\\app\\${folderOf('hookgate').replaceAll('/', '\\')}\\dist\\src\\index.js`
    expect(isTransformed(path)).toBe(true)
    expect(isTransformed(path.replaceAll('hookgate', 'express'))).toBe(false)
  })

  it('what belongs to hookgate in the store of pnpm is not transformed for its name', () => {
    const folder = '/app/node_modules/.pnpm/hookgate@0.1.0/node_modules'
    expect(isTransformed(`${folder}/lru-cache/dist/commonjs/index.js`)).toBe(false)
  })

  it('the app itself is transformed, and the program of Plug’n’Play is not, as by default', () => {
    expect(isTransformed('/home/me/hookgate/app.js')).toBe(true)
    expect(isTransformed('/home/me/app/.pnp.cjs')).toBe(false)
  })
})
