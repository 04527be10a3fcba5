import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { filesIn } from './files-in.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The fenced blocks in these languages. */
const blocksIn = (page: string, languages: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`(?:${languages})\\b[^\\n]*\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  )

/** The packages that the install lines of a page name. */
const installedBy = (page: string) =>
  blocksIn(page, 'sh').flatMap((block) =>
    [...block.matchAll(/^npm install ([^#\n]+)/gm)].flatMap(([, names = '']) =>
      names
        .trim()
        .split(/\s+/)
        .filter((name) => !name.startsWith('-'))
        .map((name) => name.replace(/(?<=.)@.*/, '')),
    ),
  )

/** The packages that the programs of a page import. */
const importedBy = (page: string) =>
  blocksIn(page, 'ts|typescript|tsx|js|javascript|mjs')
    .flatMap((block) => [...block.matchAll(/\b(?:from|import|require\(|import\()\s*['"]([^'"]+)['"]/g)])
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !/^(?:\.|[#@~$]\/|\w+:|bun$)/.test(specifier))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    )

/** What is there already: the framework of the host that a page is about, or one of several clients that its text names. */
const THERE: { readonly [page: string]: readonly string[] } = {
  // A Supabase function names its packages in deno.json.
  'docs/frameworks/supabase.md': ['hookgate', 'postgres'],
  'docs/frameworks/nestjs.md': ['@nestjs/common'],
  'docs/frameworks/sveltekit-nuxt-astro.md': ['@sveltejs/kit', 'astro'],
  'docs/inbox.md': ['postgres', 'next'],
  'docs/observability.md': ['hookgate', 'pino', 'winston', 'prom-client'],
  'docs/stores/write-one.md': ['hookgate', 'vitest'],
}

const pages = filesIn('docs', '.md').filter((page) => !/^docs\/(?:api|site)\//.test(page))
const installing = pages.filter(
  (page) => page.startsWith('docs/stores/') || installedBy(read(page)).length > 0,
)

describe('the install line of a page', () => {
  it('pages of stores and of frameworks have one', () => {
    expect(installing).toEqual(expect.arrayContaining(['docs/stores/sqlite.md', 'docs/frameworks/hono.md']))
  })

  it.each(installing)('%s installs all that its programs import', (page) => {
    const text = read(page)
    const there = [...installedBy(text), ...(THERE[page] ?? [])]
    expect([...new Set(importedBy(text))].filter((name) => !there.includes(name))).toEqual([])
  })
})

it('docs/troubleshooting.md names hookgate doctor', () => {
  expect(read('docs/troubleshooting.md')).toContain('npx --no-install hookgate doctor')
})
