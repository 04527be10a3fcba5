import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { builtFiles, ROOT, readBuilt, SITE, tagsOf } from './site-files.ts'

const pages = builtFiles('.html')
const idsOf = new Map(
  pages.map((page) => [page, new Set(tagsOf(readBuilt(page)).map(({ attributes }) => attributes.get('id')))]),
)

const fileOf = (pathname: string) => (pathname.endsWith('/') ? `${pathname}index.html` : pathname)

/** Every link of every page, as a URL. */
const links = pages.flatMap((page) =>
  tagsOf(readBuilt(page)).flatMap(({ tag, attributes }) => {
    const href = tag === 'a' ? attributes.get('href') : undefined
    return href === undefined ? [] : [{ page, url: new URL(href, `http://site${page}`) }]
  }),
)

describe('links', () => {
  it('links within the site lead to a file and to an ID in it', () => {
    const dead = links
      .filter(({ url }) => url.host === 'site')
      .filter(({ url: { pathname, hash } }) => {
        const file = fileOf(pathname)
        const id = decodeURIComponent(hash.slice(1))
        return !existsSync(SITE + file) || (id !== '' && !idsOf.get(file)?.has(id))
      })
      .map(({ page, url }) => `${page}: ${url.pathname}${url.hash}`)
    expect(dead).toEqual([])
    expect(links.length).toBeGreaterThan(1_000)
  })

  it('links to files of the repository lead to the repository that package.json names', () => {
    const repository = packageJson.repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
    const targets = links
      .filter(({ url }) => url.href.startsWith(`${repository}/`))
      .map(({ url }) => url.href)
    expect(targets).toContain(`${repository}/blob/main/SECURITY.md`)
    expect(targets).toContain(`${repository}/blob/main/examples/typed/app.ts`)
    const missing = targets.filter(
      (href) =>
        !existsSync(
          ROOT +
            href
              .replace(/#.*/, '')
              .slice(repository.length)
              .replace(/^\/(?:blob|tree)\/main\//, ''),
        ),
    )
    expect(missing).toEqual([])
  })
})

/** Builds a site of one page with the site's own rules. */
function buildOnePage(text: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(ROOT, 'docs/site/node_modules/.one-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.vitepress'))
  writeFileSync(join(folder, 'index.md'), text)
  const own = { srcDir: '.', srcExclude: [], outDir: './dist', cacheDir: './cache' }
  writeFileSync(
    join(folder, '.vitepress/config.ts'),
    `import site from '../../../.vitepress/config.ts'\nexport default { ...site, ...${JSON.stringify(own)} }\n`,
  )
  const { status, stdout, stderr } = spawnSync('npx', ['vitepress', 'build', folder], {
    cwd: join(ROOT, 'docs/site'),
    encoding: 'utf8',
  })
  return { status, output: stdout + stderr }
}

describe('the build', () => {
  it('the build passes for a page whose links resolve', () => {
    expect(buildOnePage('# A page\n\n[itself](index.md)\n')).toMatchObject({ status: 0 })
  })

  it.each([
    ['a page that does not exist', 'gone.md'],
    ['a file that does not exist', '../gone.ts'],
  ])('the build fails for a link to %s', (_, target) => {
    const { status, output } = buildOnePage(`# A page\n\n[gone](${target})\n`)
    expect(status).toBe(1)
    expect(output).toMatch(/dead link|does not exist/)
  })
})
