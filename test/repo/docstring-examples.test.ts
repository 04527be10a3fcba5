import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileSnippets, type Snippet } from '../support/compile-snippets.ts'
import { GRANTED, grantedIn } from './examples-granted.ts'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const manifest: { readonly exports: { readonly [subpath: string]: string | null } } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

interface Module {
  readonly specifier: string
  /** e.g. `src/jwt` for `hookgate/jwt` */
  readonly path: string
  /** All its exports, including types. */
  readonly names: ReadonlySet<string>
}

function modulesOf([subpath, target]: readonly [string, string]): Module[] {
  const path = target.slice('./dist/'.length, -'.js'.length)
  const stars = path.endsWith('*') ? namesIn(path.slice(0, -1)) : ['']
  return stars.map((name) => ({
    specifier: `hookgate${subpath.slice(1).replace('*', name)}`,
    path: path.replace('*', name),
    names: exportsOf(path.replace('*', name)),
  }))
}

function namesIn(folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((file) => /^([\w-]+)\.ts$/.exec(file)?.[1] ?? [])
}

function exportsOf(path: string): ReadonlySet<string> {
  const built = join(root, `dist/${path}.d.ts`)
  if (!existsSync(built)) throw new Error(`run \`npm run build\`, which makes dist/${path}.d.ts`)
  const text = readFileSync(built, 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].map(([, list = '']) => list)
  const listed = lists.flatMap((list) => list.split(',')).map((name) => name.replace('type ', '').trim())
  const declared = text.matchAll(/^export (?:declare )?(?:type|interface|class|function|const) (\w+)/gm)
  return new Set([...listed, ...[...declared].map(([, name = '']) => name)].filter((name) => name !== ''))
}

const MODULES = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  target?.endsWith('.js') ? modulesOf([subpath, target]) : [],
)

/**
 * Imports the names that an example uses without importing them. If several modules export a name, the nearest wins.
 */
function importsFor(code: string, file: string): string {
  const names = [...new Set(MODULES.flatMap((module) => [...module.names]))]
  const used = names.filter(
    (name) =>
      new RegExp(`(?<![.'/\\w])${name}\\b(?![:'])`).test(code) &&
      !new RegExp(`(?:const|function) ${name}\\b|(?:import|export) .*\\b${name}\\b.* from`).test(code),
  )
  return used
    .map((name) => {
      const homes = MODULES.filter((module) => module.names.has(name))
      const [home] = homes.toSorted((one, other) => nearness(other.path, file) - nearness(one.path, file))
      return `import { ${name} } from '${home?.specifier}'\n`
    })
    .join('')
}

/** The length of the common beginning of two paths. */
function nearness(path: string, file: string): number {
  const at = [...path].findIndex((letter, index) => letter !== file[index])
  return at < 0 ? path.length : at
}

interface Source {
  /** From the root. */
  readonly file: string
  readonly text: string
}

function sourcesIn(folder: string): Source[] {
  return filesIn(folder, '.ts').map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** The rest of the line after the tag, or a code block. */
const EXAMPLE = /^ \* @example (.*?)$|^ *\* ```ts\n(.*?)^ *\* ```$/gms

/** The examples in the docstrings of a folder, with their implied imports. */
function examplesIn(folder: string): Snippet[] {
  return sourcesIn(folder).flatMap(({ file, text }) =>
    [...text.matchAll(EXAMPLE)].map(({ 1: line, 2: lines = '', index }) => {
      const code = line ?? lines.replaceAll(/^ *\* ?/gm, '')
      const where = `${file}:${text.slice(0, index).split('\n').length}`
      return { where, code: `${importsFor(code, file)}${grantedIn(file)}\n${code}` }
    }),
  )
}

const PAGE_LINK = /https:\/\/github\.com\/hookgate\/hookgate\/blob\/main\/([\w/.-]+\.md)(?:#([\w-]+))?/g

/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

const FOLDERS = ['src', 'adapters']

describe('docstrings', () => {
  it('docstrings have examples that compile as strictly as this package', { timeout: 120_000 }, async () => {
    const examples = FOLDERS.flatMap(examplesIn)
    expect(examples).not.toEqual([])
    // The implied imports do not tell types from values.
    const settings = { verbatimModuleSyntax: false }
    const errors = await compileSnippets(examples, { 'granted.d.ts': GRANTED }, settings)
    expect(errors, 'import what is missing in the example, or declare it in examples-granted.ts').toBe('')
  })

  it('link to existing headings', () => {
    const links = FOLDERS.flatMap(sourcesIn).flatMap(({ text }) => [...text.matchAll(PAGE_LINK)])
    expect(links).not.toEqual([])
    for (const [link, page = '', anchor] of links) {
      const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm)]
      const anchors = headings.map(([, heading = '']) => anchorOf(heading))
      if (anchor !== undefined) expect(anchors, link).toContain(anchor)
    }
  })

  it('name no section of a document that readers cannot see', () => {
    const naming = FOLDERS.flatMap(sourcesIn).filter(({ text }) => /specification,? \d|§ ?\d/i.test(text))
    expect(naming.map(({ file }) => file)).toEqual([])
  })
})
