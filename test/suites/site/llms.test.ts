import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PAGES } from '../../../docs/site/.vitepress/sidebar.ts'
import { builtFiles, ROOT, readBuilt, SITE } from './site-files.ts'

const { repository } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
const REPOSITORY: string = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** The pages of users, as paths of the site. */
const FILES = PAGES.map((page) => `/${page}.md`)

const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]+`/gm, '')

/** Resolves the links of a page at this path. Leaves out pictures. */
const linksOf = (text: string, path: string) =>
  [...withoutCode(text).matchAll(/(?<!!\[[^\]]*)\]\(([^)\s]+)/g)].map(
    ([, link = '']) => new URL(link, `http://site${path}`),
  )

function isDead({ host, pathname, href }: URL): boolean {
  if (host === 'site')
    return !existsSync(SITE + (pathname.endsWith('/') ? `${pathname}index.html` : pathname))
  if (!href.startsWith(`${REPOSITORY}/`)) return false
  return !existsSync(ROOT + pathname.replace(/^(?:\/[^/]+){2}\/(?:blob|tree)\/main\//, ''))
}

describe('for agents, the site', () => {
  it('the site lists each page of users once in llms.txt', () => {
    const [, list = ''] = readBuilt('/llms.txt').split('## Table of Contents')
    const listed = linksOf(list, '/').map(({ pathname }) => pathname)
    expect(listed.toSorted()).toEqual(FILES.toSorted())
  })

  it('the site tells agents what they get wrong, before the list of pages', () => {
    const [rules = ''] = readBuilt('/llms.txt').split('## Table of Contents')
    expect(rules.match(/^[1-9]\. /gm)).toHaveLength(6)
    expect(rules).toContain('](/troubleshooting.md#a-wrong-signature)')
  })

  it('the site has each page as a whole in llms-full.txt', () => {
    const sections = [...readBuilt('/llms-full.txt').matchAll(/^---\nurl: (\S+)\n---$/gm)].map(
      ([, url]) => url,
    )
    expect(sections.toSorted()).toEqual(FILES.toSorted())
    expect(readBuilt('/llms-full.txt')).toContain(
      readBuilt('/events.md')
        .replace(/^---[\s\S]*?---\n/, '')
        .trim(),
    )
  })

  it('the site has no dead link in the pages as Markdown, nor in either list', () => {
    const pages = builtFiles('.md').map((path) => [path, readBuilt(path)] as const)
    const sections = readBuilt('/llms-full.txt')
      .split(/^---\nurl: (?=\S+\n---$)/m)
      .map((section) => [section.slice(0, section.indexOf('\n')) || '/', section] as const)
    const texts = [...pages, ...sections, ['/', readBuilt('/llms.txt')] as const]
    const links = texts.flatMap(([path, text]) => linksOf(text, path).map((url) => ({ path, url })))
    expect(links.length).toBeGreaterThan(800)
    expect(links.filter(({ url }) => isDead(url)).map(({ path, url }) => `${path}: ${url}`)).toEqual([])
  })

  it('the site takes these files from its own host, and names them in the head of a page', () => {
    expect(readBuilt('/errors.html')).toContain('<link href="/llms.txt" rel="describedby">')
    expect(readBuilt('/index.html')).not.toContain('Are you an LLM')
  })
})
