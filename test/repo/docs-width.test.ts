import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const formatter = fileURLToPath(new URL('tools/docs-code.mjs', root))

/** The site's column has 72 characters. */
const WIDTH = 72

it('the programs and commands of the pages have lines of at most 72 characters (node tools/docs-code.mjs)', () => {
  const { stdout } = spawnSync(process.execPath, [formatter, '--check'], { encoding: 'utf8' })
  expect(stdout).toBe('')
})

it('so have the pages of senders, which the same column shows', () => {
  const folder = new URL('docs/schemes/', root)
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'))
  const wide = pages.flatMap((name) => {
    const blocks = readFileSync(new URL(name, folder), 'utf8').matchAll(/^```(?:js|ts|sh)\n(.*?)^```$/gms)
    return [...blocks].flatMap(([, code = '']) => code.split('\n').filter((line) => line.length > WIDTH))
  })
  expect(pages.length).toBeGreaterThan(20)
  expect(wide).toEqual([])
})
