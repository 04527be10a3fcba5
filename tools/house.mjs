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

/** The most words of all pages together. Headings and tables count, programs do not: tests compile and run those. */
const MOST_WORDS = 30_000

const PROGRAM = /^ *```[\s\S]*?^ *```$/gm
/** Tables that a command writes, and other comments. */
const GENERATED = /<!-- (\w+): npm run .*?<!-- end of \1 -->|<!--.*?-->/gs

const count = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

/**
 * The README and every folder of docs. Leaves out what commands write: the pages of senders and the API reference.
 */
const docs = readdirSync(join(ROOT, 'docs'), { recursive: true })
  .filter((path) => path.endsWith('.md') && !/^(schemes|api)\/|node_modules|^site\/dist/.test(path))
  .map((path) => `docs/${path}`)
const OF_SERVICE = ['service/README.md', 'service/OPERATING.md', 'service/SPEC.md']

/** The number of words of a page, and of words in its programs. */
function countPage(page) {
  const text = read(page).replaceAll(GENERATED, '')
  const inPrograms = count((text.match(PROGRAM) ?? []).join('\n'))
  return { page, words: count(text) - inPrograms, inPrograms }
}

const pages = ['README.md', ...docs.toSorted()].map(countPage)
const sumOf = (column) => pages.reduce((sum, page) => sum + page[column], 0)
const wordsLine = (words, inPrograms, name) =>
  console.log(`${`${words}`.padStart(7)} +${`${inPrograms}`.padStart(4)}  ${name}`)

console.log(
  '\nThe words of each page, with headings and tables, and those of its programs, which tests compile:',
)
for (const { page, words, inPrograms } of pages) wordsLine(words, inPrograms, page)
const over = Math.max(0, sumOf('words') - MOST_WORDS)
wordsLine(
  sumOf('words'),
  sumOf('inPrograms'),
  `${pages.length} pages, at most ${MOST_WORDS} words${over > 0 ? `, ${over} too many` : ''}`,
)
console.log('\nThose of the reference service:')
for (const { page, words, inPrograms } of OF_SERVICE.map(countPage)) wordsLine(words, inPrograms, page)

/** Why a file stands alone although one file alone imports it: the first pattern that fits. */
const REASONS = [
  [/^src\/checks\//, 'one check of the list'],
  [/^src\/explain\/guess-/, 'one kind of guess'],
  [/^src\/explain\//, 'one question that explain() asks'],
  [/^src\/otel\//, 'what is observed; index.ts is the public door'],
  [/^src\/inbox\//, 'one part of the inbox, told by its name'],
  [/^src\/lib\//, 'knows nothing of webhooks'],
  [/^src\/testing\/\S+-cases/, 'the cases of every store; event-store-suite.ts registers them'],
  [/^src\/crypto\//, 'knows nothing of webhooks'],
  [/^src\/schemes\/kit\//, 'one part of a scheme, which the scheme puts together'],
  [/^src\/stores\/\w+\/store/, 'a store, which its subpath exports'],
  [/^src\/stores\//, 'one part of every store: statements, clients, or the check of a table'],
  [
    /^src\/store-call/,
    'the four calls of every store, with deadline and answers; claim.ts puts them in order',
  ],
  [/^adapters\/fastify\/returned/, 'what a handler returned, which Fastify shows to no hook'],
  [/^adapters\/hono\/read-again/, 'one workaround, which its tests prove necessary'],
  [/^adapters\/kit\/explained/, 'the refusal on a terminal, and nothing of it elsewhere'],
  [/^adapters\/kit\/running/, 'the only timer: the running handlers of a process'],
  [/^src\/management\//, 'one step of a recovery'],
  [/^cli\/command-line\//, 'knows no command'],
  [/^cli\/commands\.ts/, 'the list of the commands'],
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
