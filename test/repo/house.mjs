#!/usr/bin/env node
/** Prints how large the source and its pages are, and the files that one file alone imports: `npm run --silent house`. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDERS = ['src', 'adapters', 'stores', 'sender', 'cli']

const read = (path) => readFileSync(join(ROOT, path), 'utf8')
const withoutComments = (text) => text.replaceAll(/\/\*[\s\S]*?\*\//g, '')
const linesOf = (path) => read(path).split('\n').length - 1

const sourcesIn = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`)
    .toSorted()

/** What a file imports, types included, or what it exports again. */
const targetsOf = (path, keyword) => {
  const statements = new RegExp(
    `^${keyword}\\s(?:[^;'"]*?from\\s+)?'(\\.[^']+)'|\\b${keyword}\\('([^']+)'\\)`,
    'gm',
  )
  return [...withoutComments(read(path)).matchAll(statements)].map(([, from, lazy]) =>
    normalize(join(dirname(path), from ?? lazy)),
  )
}

const sources = FOLDERS.flatMap(sourcesIn)
const importers = new Map(sources.map((path) => [path, new Set()]))
const isPublic = new Set()
for (const path of [...sources, ...sourcesIn('schemes')]) {
  for (const target of targetsOf(path, 'import')) importers.get(target)?.add(path)
  for (const target of targetsOf(path, 'export')) isPublic.add(target)
}

const sizes = FOLDERS.map((folder) => sources.filter((path) => path.startsWith(`${folder}/`)))
for (const files of [...sizes, sources]) {
  const name = files === sources ? 'all' : files[0].split('/')[0]
  const lines = files.reduce((sum, path) => sum + linesOf(path), 0)
  console.log(`${name.padEnd(9)}${`${files.length}`.padStart(4)} files${`${lines}`.padStart(7)} lines`)
}

/** The words of docs/ and docs/migrate/, without tables that `npm run docs:schemes` writes. */
const pages = ['docs', 'docs/migrate'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
)
const words = pages.flatMap((page) =>
  read(page)
    .replaceAll(/<!-- (\w+): npm run .*?<!-- end of \1 -->/gs, '')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)),
)
console.log(`docs     ${`${pages.length}`.padStart(4)} pages${`${words.length}`.padStart(7)} words`)

const single = sources.filter((path) => importers.get(path).size === 1 && !isPublic.has(path))
console.log(`\n${single.length} files with a single importer:`)
for (const path of single) {
  console.log(`${`${linesOf(path)}`.padStart(5)} lines  ${path} ← ${[...importers.get(path)]}`)
}
