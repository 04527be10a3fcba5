import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NOTES } from '../../docs/schemes/notes.ts'
import { RETRIES } from '../../docs/schemes/retries.ts'
import { dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
import { schemeFactory } from '../support/schemes.ts'
import { RECOVERED, senderPage } from './sender-page.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
/** The variables that a page sets to nothing, for its reader to fill in. */
const setBy = (name: string) =>
  [...read(`docs/schemes/${name}.md`).matchAll(/^export ([A-Z_]+)=''$/gm)].map(
    ([, variable = '']) => variable,
  )
const namesIn = (folder: string, end: string) =>
  readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(end))
    .map((name) => name.replace(end, ''))
    .toSorted()

describe('the pages of senders', () => {
  it.each(Object.entries(NOTES))(
    'docs/schemes/%s.md is up to date (npm run docs:schemes)',
    async (name, notes) => {
      const { scheme } = await schemeFactory(name)
      const retries = RETRIES[name]
      if (retries === undefined) throw new Error(`${name} has no retries`)
      const page = senderPage({
        scheme,
        dedupe: dedupeOf(scheme),
        notes,
        retries,
        source: read(`src/schemes/${name}.ts`),
        program: read(`examples/schemes/${name}.ts`),
        ...(notes.other && { otherProgram: read(`examples/${notes.other.example}`) }),
      })
      expect(page.replaceAll(/^```(?:js|ts)[\s\S]*?^```$/gm, '')).not.toMatch(/undefined|\[object/)
      await expect(page).toMatchFileSnapshot(fileURLToPath(new URL(`docs/schemes/${name}.md`, root)))
    },
  )

  it('docs/recover.md says how many senders can be recovered, and how each; the finder says so of the same', async () => {
    const page = read('docs/recover.md')
    const schemes = namesIn('src/schemes/', '.ts')
    expect(page).toContain(`${RECOVERED.length} of the ${schemes.length} senders`)
    for (const name of RECOVERED)
      expect(page).toContain(`\n| ${(await schemeFactory(name)).scheme.sender.replace(/ \(.*/, '')}`)
    const rows = read('docs/schemes.md')
      .split('\n')
      .filter((row) => row.includes('[Recover](recover.md)'))
    expect(rows.map((row) => /`([a-z-]+)`/.exec(row)?.[1]).toSorted()).toEqual(RECOVERED.toSorted())
  })

  it('docs/recover.md names each subpath of hookgate/management', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: object }
    const names = Object.keys(exports).flatMap((path) => /^\.\/management\/(.+)$/.exec(path)?.[1] ?? [])
    const page = read('docs/recover.md').toLowerCase()
    expect(names.filter((name) => !page.includes(name))).toEqual([])
  })

  it('the pages exist for each program, and docs/schemes.md links to them', () => {
    const programs = namesIn('examples/schemes/', '.ts')
    expect(namesIn('docs/schemes/', '.md')).toEqual(programs)
    const linked = [...read('docs/schemes.md').matchAll(/\]\(schemes\/([a-z-]+)\.md\)/g)].map(
      ([, name]) => name,
    )
    expect([...new Set(linked)].toSorted()).toEqual(programs)
  })

  // Plaid's program sends its two values to Plaid, which refuses them.
  const settings = Object.keys(NOTES).filter((name) => name !== 'plaid' && setBy(name).length > 0)

  it.each(settings)('docs/schemes/%s.md, copied as it stands, starts no program', async (name) => {
    for (const variable of setBy(name)) vi.stubEnv(variable, '')
    onTestFinished(() => void vi.unstubAllEnvs())
    // With a query of its own: test files share their modules.
    const program = import(`../../examples/schemes/${name}.ts?copied`)
    await expect(program).rejects.toMatchObject({ code: 'ERR_LISTENER_CONFIG' })
  })

  it.each(Object.keys(NOTES))(
    'docs/schemes/%s.md handles three events, and has at most 350 words',
    (name) => {
      const page = read(`docs/schemes/${name}.md`)
      const types = [...page.matchAll(/^ +case '(.+)':$/gm)].map(([, type]) => type)
      expect(new Set(types).size).toBe(3)
      expect(page.match(/Deduplicated by|claimed/g)).toEqual(['Deduplicated by'])
      const prose = page.replaceAll(/^```.*?^```$|<!--.*?-->|<\/?\w+>/gms, '')
      const words = prose.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))
      expect(words.length).toBeLessThanOrEqual(350)
    },
  )

  it('the pages let the reader fill in the secrets of Stripe, GitHub and Slack', () => {
    expect(settings).toEqual(expect.arrayContaining(['stripe', 'github', 'slack']))
  })
})
