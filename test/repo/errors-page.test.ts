import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}docs/errors.md`, 'utf8')

const code = ['src', 'adapters', 'stores', 'sender']
  .flatMap((folder) => readdirSync(root + folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => readFileSync(`${parentPath}/${name}`, 'utf8'))
  .join('\n')

/** Each first group of a pattern in the code, once. */
const inCode = (pattern: RegExp) => [
  ...new Set([...code.matchAll(pattern)].flatMap(([, found]) => found ?? [])),
]

/** The rows of the table from reason to status. */
const reasons = () => {
  const [, table = ''] = readFileSync(`${root}src/verdict.ts`, 'utf8').split('RejectedStatus>> = {')
  return [...table.slice(0, table.indexOf('\n}')).matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
}

/** The options that a table of checks lists, one a line. */
const optionsIn = (path: string) => {
  const [, table = ''] = readFileSync(root + path, 'utf8').split(/OptionTable<\w+(?:<\w+>)?> = \{/)
  return [...table.slice(0, table.indexOf('\n}')).matchAll(/^ {2}(\w+):/gm)].map(([, name = '']) => name)
}

/** What the table of messages quotes. */
const quoted = () => {
  const [, section = ''] = page.split('### Messages of any option')
  const rows = section.slice(0, section.indexOf('\n### ')).split('\n')
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
  )
}

describe('docs/errors.md', () => {
  it.each(reasons())('has an entry for the reason %s', (reason) => {
    expect(page).toContain(`\n### \`${reason}\`\n`)
  })

  it.each(inCode(/code = '(ERR_\w+)'/g))('has a row for the code %s', (name) => {
    expect(page).toContain(`\n| \`${name}\` |`)
  })

  it.each([
    ...inCode(/ListenerConfigError\(\s*'([^']+)'/g),
    ...optionsIn('src/listener-options.ts'),
    ...optionsIn('src/auth/remote-options.ts'),
    ...optionsIn('adapters/shared/receiver-options.ts'),
  ])('has the option %s', (option) => {
    const firstCells = page.split('\n').filter((line) => line.startsWith('| `'))
    expect(firstCells.some((line) => line.split('|')[1]?.includes(`\`${option}\``))).toBe(true)
  })

  it.each(quoted())('quotes %j as the code says it', (message) => expect(code).toContain(message))
})
