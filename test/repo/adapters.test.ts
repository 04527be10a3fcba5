import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FRAMEWORKS } from './own-frameworks.ts'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFileSync(at(path), 'utf8')

/** Tests that mount only some adapters, each with its reason. */
const SOME_ONLY: { readonly [path: string]: string } = {
  'test/adapters/guards-all.test.ts':
    'Fastify guards scopes, which test/adapters/fastify-setup.test.ts tests',
  'test/adapters/body-stream-fails.test.ts': 'Fastify hands over the same Node stream as Express',
  'test/adapters/stop.test.ts': 'test/repo/production.test.ts stops a program on Express',
}

/** The frameworks with an adapter that a file imports. */
const importedBy = (path: string) =>
  FRAMEWORKS.filter((name) => read(path).includes(`'../../adapters/${name}.ts'`))

describe.each(FRAMEWORKS)('the adapter for %s', (name) => {
  it.each([`docs/frameworks/${name}.md`, `examples/${name}.ts`, `test/types/${name}.test-d.ts`])(
    'the adapter has %s',
    (path) => {
      expect(existsSync(at(path)), `write ${path}`).toBe(true)
    },
  )

  it.each([
    ['README.md', `docs/frameworks/${name}.md`],
    ['docs/site/.vitepress/sidebar.ts', `'frameworks/${name}'`],
    ['adapters/kit/incoming.ts', `/${name}`],
    ['test/suites/package/consumer/package.json', `"${name}":`],
  ])('the adapter is named in %s', (path, text) => {
    expect(read(path).includes(text), `add ${text} to ${path}`).toBe(true)
  })
})

it('hookgate/adapter exports what the pages teach, and nothing else', () => {
  const kit = read('adapters/kit/index.ts').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const names = [...kit.matchAll(/\{([^}]*)\}/g)].flatMap(
    ([, list = '']) => list.match(/(?!type\b)\b\w+/g) ?? [],
  )
  const pages = ['other', 'nestjs'].map((page) => read(`docs/frameworks/${page}.md`)).join()
  expect(names).toContain('createReceiver')
  const untold = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages))
  expect(untold, 'teach it on docs/frameworks/other.md, or import it from its file').toEqual([])
})

describe('a test file that mounts the adapters of two frameworks', () => {
  const files = ['test/adapters', 'test/support', 'test/types'].flatMap((folder) =>
    readdirSync(at(folder)).map((file) => `${folder}/${file}`),
  )
  const several = files.filter((path) => path.endsWith('.ts') && importedBy(path).length > 1)

  it('a test file that mounts two adapters is found', () => {
    expect(several).toEqual(expect.arrayContaining(['test/support/servers.ts', ...Object.keys(SOME_ONLY)]))
  })

  it.each(FRAMEWORKS)('a test file that mounts two adapters mounts that of %s too', (name) => {
    const without = several.filter((path) => !(path in SOME_ONLY) && !importedBy(path).includes(name))
    expect(without, `mount adapters/${name}.ts in each of these files`).toEqual([])
  })
})
