// Formats the programs and commands in the pages, so that the site's column holds them: `node tools/docs-code.mjs`. With `--check` it writes
// nothing, and lists what it would change.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The characters of a line that the site shows without scrolling. */
const WIDTH = 72
const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FENCE = /^( *)```((ts|js|sh)(?: .*)?)\n([\s\S]*?)^\1```$/gm

/** The pages that people write. Those of senders, and the API's, are made by commands. */
const FOLDERS = ['docs', 'docs/frameworks', 'docs/migrate', 'docs/stores', 'docs/site']
const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, folder, name)),
)
pages.push(join(ROOT, 'README.md'))

const before = new Map(pages.map((page) => [page, readFileSync(page, 'utf8')]))
const programs = [...before.values()].flatMap((text) =>
  [...text.matchAll(FENCE)].flatMap(([, indent, , language, code]) =>
    language === 'sh' ? [] : [{ language, code: dedent(code, indent) }],
  ),
)
const formatted = formatAll(programs)

const changed = pages.filter((page) => {
  const text = before.get(page).replaceAll(FENCE, (_, indent, info, language, code) => {
    const lines = language === 'sh' ? commands(dedent(code, indent)) : formatted.shift()
    return `${indent}\`\`\`${info}\n${lines.replaceAll(/^(?=.)/gm, indent)}${indent}\`\`\``
  })
  if (text === before.get(page)) return false
  if (!process.argv.includes('--check')) writeFileSync(page, text)
  return true
})
for (const page of changed) console.log(relative(ROOT, page))
if (process.argv.includes('--check') && changed.length > 0) {
  console.log(`Format them: node tools/docs-code.mjs`)
  process.exitCode = 1
}

function dedent(code, indent) {
  return code.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

/** What Biome makes of the programs, with long comments on lines of their own. One that it cannot read stays as it is. */
function formatAll(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'docs-code-'))
  const fileOf = (at) => join(folder, `${at}.${programs[at].language}`)
  const { javascript } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'))
  const formatter = { indentStyle: 'space', indentWidth: 2, lineWidth: WIDTH }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ formatter, javascript }))
  const format = () =>
    spawnSync(join(ROOT, 'node_modules/.bin/biome'), ['format', '--write', '--max-diagnostics=none', '.'], {
      cwd: folder,
    })
  try {
    for (const [at, { code }] of programs.entries()) writeFileSync(fileOf(at), commentsAbove(code))
    format()
    for (const at of programs.keys())
      writeFileSync(fileOf(at), commentsAbove(readFileSync(fileOf(at), 'utf8')))
    format()
    return programs.map((_, at) => readFileSync(fileOf(at), 'utf8'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Puts a comment that ends a wide line above it, and wraps it. */
function commentsAbove(code) {
  return code
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)[0]
      const [, about] = /^ *\/\*\* (.*) \*\/$/.exec(line) ?? []
      if (about !== undefined && line.length > WIDTH)
        return [`${indent}/**`, ...wrapped(about, `${indent} * `), `${indent} */`]
      const at = commentIn(line)
      if (line.length <= WIDTH || at < 0) return line
      const comment = wrapped(line.slice(at + 2).trim(), `${indent}// `)
      const rest = line.slice(0, at).trimEnd()
      return rest === '' ? comment : [...comment, rest]
    })
    .join('\n')
}

/** Where the line's comment begins. Two slashes in a text, or of a URL, begin none. */
function commentIn(line) {
  let quote = ''
  for (let at = 0; at < line.length; at += 1) {
    if (quote === '' && line.startsWith('//', at) && line[at - 1] !== ':') return at
    if (line[at] === '\\') at += 1
    else if (quote === '' && `'"\``.includes(line[at])) quote = line[at]
    else if (line[at] === quote) quote = ''
  }
  return -1
}

function wrapped(text, before) {
  return text.split(' ').reduce((lines, word) => {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= WIDTH)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(before + word)
    return lines
  }, [])
}

/** Breaks wide commands before an option or an operator, and puts their comments above them. */
function commands(code) {
  if (/<<|^\S*=?\(|^ *(?:for|if|while)\b/m.test(code)) return code
  return code.replaceAll(/(?:[^\n]*\\\n)*[^\n]+/g, (command) => {
    if (!command.split('\n').some((line) => line.length > WIDTH)) return command
    const [, line, comment] = /^(.*?)(?:\s+#\s(.*))?$/s.exec(command.replaceAll(/\s*\\\n\s*/g, ' '))
    const above = comment === undefined ? [] : wrapped(comment, '# ')
    return [...above, ...broken(line)].join('\n')
  })
}

/** The command in lines that a shell joins. An option keeps its value. */
function broken(command) {
  if (command.length <= WIDTH) return [command]
  const words = command.match(/npx --no-install hookgate [a-z]+|(?:'[^']*'|"[^"]*"|[^\s'"])+/g)
  const parts = words.reduce((all, word) => {
    const last = all.at(-1)
    const isValue = last !== undefined && /^-[^ ]*$/.test(last) && !word.startsWith('-')
    const isJoined = last !== undefined && /^(?:&&|\|\||\|)$/.test(last)
    if (isValue || isJoined) all[all.length - 1] = `${last} ${word}`
    else all.push(word)
    return all
  }, [])
  const lines = parts.reduce((all, part) => {
    const last = all.at(-1)
    if (last !== undefined && last.length + 1 + part.length <= WIDTH - 2)
      all[all.length - 1] = `${last} ${part}`
    else all.push(all.length === 0 ? part : `  ${part}`)
    return all
  }, [])
  return lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line))
}
