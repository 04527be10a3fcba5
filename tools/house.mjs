#!/usr/bin/env node
/** Prints how large the source and its pages are, and the files that one file alone imports: `npm run --silent house`. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FOLDERS = ['src', 'adapters', 'cli']

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
for (const path of sources) {
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
const pages = ['docs', 'docs/frameworks', 'docs/migrate'].flatMap((folder) =>
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

/** Why a file stands alone although one file alone imports it: the first pattern that fits. */
const REASONS = [
  [/^src\/checks\//, 'one check of the list'],
  [/^src\/explain\/guess-/, 'one kind of guess'],
  [/^src\/explain\//, 'one question that explain() asks'],
  [/^src\/otel\//, 'what is observed; index.ts is the public door'],
  [/^src\/lib\//, 'knows nothing of webhooks'],
  [/^src\/testing\/event-store-cases/, 'the cases of every store; event-store-suite.ts registers them'],
  [/^src\/scheme\/secret-forms/, 'the forms of secrets, which pages and errors name'],
  [/^src\/beside/, 'the verdict without the claim: no adapter may hold a rule'],
  [/^adapters\/hono\/read-again/, 'one workaround, which its tests prove necessary'],
  [/^stores\/\w+\/\w+-store/, 'a store, which its subpath exports'],
  [/^stores\//, 'one part of every store: statements, clients, or the check of a table'],
  [/^cli\/commands\.ts/, 'the list of the commands'],
  [/^cli\/commands\/completions\//, 'one shell'],
  [/^cli\/commands\/conform\/.*(cases|method)/, 'one group of cases, or one way to sign them'],
  [/^cli\/commands\/(\w+|(\w+)\/\2)\.ts/, 'a command'],
  [/^cli\/commands\/doctor\//, 'one question of the doctor'],
  [/^cli\/(commands|forward|inspector|listen)\//, 'one step of its command'],
]
const reasonFor = (path) => REASONS.find(([pattern]) => pattern.test(path))?.[1] ?? 'NO REASON: move it in'

const single = sources.filter((path) => importers.get(path).size === 1 && !isPublic.has(path))
console.log(`\n${single.length} files with a single importer:`)
for (const path of single) {
  console.log(
    `${`${linesOf(path)}`.padStart(5)} lines  ${path} ← ${[...importers.get(path)]}: ${reasonFor(path)}`,
  )
}
