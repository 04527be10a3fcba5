import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(`${root}/docs/troubleshooting.md`, 'utf8')

/** Messages of others: Node, TypeScript, the shell, a Redis client, fetch. */
const OF_OTHERS = [/^Cannot find module/, /^hookgate: not found$/, /^fetch failed$/]

/** The pieces of code in the cells that quote what the reader sees. */
const symptoms = page
  .split('\n')
  .filter((line) => /^\| (?:`|[2-5]\d\d )/.test(line))
  .flatMap((line) => {
    const [first = '', second = ''] = line.split('|').slice(1)
    return [...(first.includes('`') ? first : second).matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted)
  })

const said = ['src', 'adapters']
  .flatMap((folder) => filesIn(folder))
  .map((path) => readFileSync(`${root}/${path}`, 'utf8'))
  .join('\n')

describe('docs/troubleshooting.md', () => {
  it('the page has symptoms', () => expect(symptoms).not.toEqual([]))

  it.each(symptoms.filter((symptom) => !OF_OTHERS.some((pattern) => pattern.test(symptom))))(
    'the page quotes %j as the code says it',
    (symptom) => expect(said).toContain(symptom),
  )
})
