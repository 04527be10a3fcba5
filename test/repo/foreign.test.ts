import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { filesIn } from './files-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function count(folder: string) {
  const tool = join(root, 'tools/foreign.mjs')
  const { status, stdout } = spawnSync(process.execPath, [tool, folder], { encoding: 'utf8' })
  return { status, lines: stdout.trim().split('\n') }
}

/** Counts in a project with these lines alone. */
function countIn(lines: readonly string[]) {
  const project = mkdtempSync(join(tmpdir(), 'hookgate-foreign-'))
  onTestFinished(() => rmSync(project, { recursive: true }))
  for (const folder of ['src', 'adapters']) mkdirSync(join(project, folder))
  writeFileSync(join(project, 'src/a.ts'), lines.join('\n'))
  return count(project)
}

const total = (found: number) => `${found} lines replace or proxy what belongs to the app, at most 12`

const TAKEN_OVER = [
  'response.end = () => {}',
  '(response as Wrapped).end ??= () => {}',
  'context.request.headers = {}',
  'delete response.end',
  'const lent = new Proxy(client, {})',
  'const shadow = Object.create(request, {})',
  'Object.assign(client, { query })',
  "Object.defineProperty(stream, 'emit', { value })",
  'Object.setPrototypeOf(request, prototype)',
  "Reflect.set(response, 'end', end)",
  'const run = () => { tx.query = query }',
]

const LEFT_ALONE = [
  'this.end = () => {}',
  'verification.payload = 1',
  'request[MARK] = true',
  'request.webhook = event',
  "// response.end = () => {}, and 'response.end = 1'",
  'const copy = Object.assign({}, request)',
  'const end = response.end',
]

describe('hookgate joins what belongs to the app, and takes none of it over', () => {
  it('at most twelve lines replace or proxy it', () => {
    const { status, lines } = count(root)
    expect(status, lines.join('\n')).toBe(0)
  })

  it('a line that takes it over counts', () => {
    const found = TAKEN_OVER.map((line, index) => `src/a.ts:${index + 1}: ${line}`)
    expect(countIn(TAKEN_OVER).lines).toEqual([...found, total(found.length)])
  })

  it('a line that leaves it alone does not count', () => {
    expect(countIn(LEFT_ALONE).lines).toEqual([total(0)])
  })

  it('the twelfth line passes, and the thirteenth fails', () => {
    const lines = Array.from({ length: 13 }, () => 'response.end = end')
    expect(countIn(lines.slice(1)).status).toBe(0)
    expect(countIn(lines).status).toBe(1)
  })
})

it('every promise of the source settles', () => {
  const never = /new Promise(?:<[^>]*>)?\(\s*\(\s*\)\s*=>\s*\{\s*\}\s*\)/
  const sources = ['src', 'adapters', 'cli', 'service/src'].flatMap((folder) => filesIn(folder, '.ts'))
  expect(sources.filter((path) => never.test(readFileSync(join(root, path), 'utf8')))).toEqual([])
})
