import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const manifest: { readonly exports: { readonly [subpath: string]: string | null } } = JSON.parse(
  readFileSync(at('package.json'), 'utf8'),
)

/** The source of each exported store. */
const stores = Object.values(manifest.exports)
  .flatMap((target) => (target?.startsWith('./dist/src/stores/') ? [target] : []))
  .map((target) => target.replace('./dist/', '').replace(/\.js$/, '.ts'))

/** The tests that run the conformance suite of stores. */
const suites = ['test/stores', 'test/workerd']
  .flatMap((folder) => readdirSync(at(folder)).map((name) => `${folder}/${name}`))
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => readFileSync(at(path), 'utf8'))
  .filter((text) => text.includes('eventStoreSuite('))

/** A store of stores calls theirs with the keys that it is given. */
const WRAPPERS = ['src/stores/local-cache.ts']

it.each(stores)('%s is run through eventStoreSuite', (store) => {
  const own = suites.filter((text) => text.includes(`'../../${store}'`))
  expect(own, `call eventStoreSuite for ${store} in a file of test/stores`).not.toEqual([])
  if (WRAPPERS.includes(store)) return
  const takesAnyId = own.some((text) => text.includes('expectAnyId('))
  expect(takesAnyId, `call expectAnyId for ${store} beside eventStoreSuite`).toBe(true)
})
