import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const tree = readFileSync(`${root}CONTRIBUTING.md`, 'utf8').split(/^```$/m)[2] ?? ''

/** The files named below a folder, repetitions included. */
function named(folder: string): string[] {
  const lines = tree.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`${folder}/ `)) + 1
  const length = lines.slice(start).findIndex((line) => !line.startsWith('  '))
  return lines.slice(start, start + length).map((line) => line.trim().split(' ')[0] ?? '')
}

const engines = readdirSync(`${root}stores`).filter((name) => !name.endsWith('.ts'))

describe('the tree in CONTRIBUTING.md', () => {
  it.each([
    'src',
    'src/checks',
    'src/auth',
    'src/crypto',
    'src/lib',
    'src/scheme',
    'src/explain',
    'src/otel',
    'src/handoff',
    'src/signing',
    'src/testing',
    'stores',
    ...engines.map((name) => `stores/${name}`),
    'adapters',
    'adapters/shared',
    'sender',
    'cli',
    'cli/conform',
    'cli/doctor',
    'bench',
  ])('has one line for each file of %s, and for nothing else', (folder) => {
    const files = readdirSync(root + folder).filter((name) => /\.m?ts$|\.mjs$/.test(name))
    expect(
      named(folder)
        .filter((name) => !name.includes('/'))
        .sort(),
      `the lines under "${folder}/" in CONTRIBUTING.md`,
    ).toEqual(files.sort())
  })
})
