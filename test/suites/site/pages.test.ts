import { existsSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { PAGES, sidebar } from '../../../docs/site/.vitepress/sidebar.ts'
import { ORIGIN } from './build-site.ts'
import { builtFiles, firstLoadBytes, readBuilt, SITE, tagsOf } from './site-files.ts'

const KB = 1024

const linksOf = (items: ReturnType<typeof sidebar>): string[] =>
  items.flatMap(({ link, items: within = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(within)])

describe('the site', () => {
  it('the site builds offline, within 120 s of CPU time', () => {
    // build-site.ts fails the run if the build opens a connection.
    expect(inject('buildSeconds')).toBeGreaterThan(1)
    expect(inject('buildSeconds')).toBeLessThanOrEqual(120)
  })

  it('the site has a first page of at most 120 KB, compressed', () => {
    expect(firstLoadBytes('/index.html')).toBeGreaterThan(20 * KB)
    expect(firstLoadBytes('/index.html')).toBeLessThanOrEqual(120 * KB)
  })

  it('the site has every page once in its sidebar', () => {
    const listed = tagsOf(readBuilt('/schemes.html'))
      .filter(({ attributes }) => attributes.get('class')?.includes('VPLink link link'))
      .map(({ attributes }) => attributes.get('href'))
    for (const page of PAGES) {
      const times = listed.filter((href) => href === `/${page}.html`).length
      expect(times, page).toBeGreaterThan(0)
    }
  })

  it('each page describes itself, in words of its own, and says which picture stands for it', () => {
    const described = PAGES.map((page) => {
      const metas = tagsOf(readBuilt(`/${page}.html`)).filter(({ tag }) => tag === 'meta')
      const of = (name: string) =>
        metas
          .find(({ attributes }) => [attributes.get('name'), attributes.get('property')].includes(name))
          ?.attributes.get('content')
      expect(of('og:image'), page).toBe(`${ORIGIN}/link-preview.png`)
      expect(of('og:title'), page).toBeTruthy()
      expect(of('og:description'), page).toBe(of('description'))
      return of('description') ?? ''
    })
    expect(described.filter((text) => text.length < 20 || text.length > 165)).toEqual([])
    expect(new Set(described).size).toBe(described.length)
    expect(existsSync(`${SITE}/link-preview.png`)).toBe(true)
  })

  it('each page has one address of its own, which the sitemap lists, as it does the playground', () => {
    const sitemap = [...readBuilt('/sitemap.xml').matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url)
    const canonical = (page: string) =>
      tagsOf(readBuilt(page))
        .filter(({ attributes }) => attributes.get('rel') === 'canonical')
        .map(({ attributes }) => attributes.get('href'))
    for (const page of PAGES) {
      expect(canonical(`/${page}.html`)).toEqual([`${ORIGIN}/${page}.html`])
      expect(sitemap).toContain(`${ORIGIN}/${page}.html`)
    }
    expect(canonical('/index.html')).toEqual([`${ORIGIN}/`])
    expect(sitemap).toEqual(expect.arrayContaining([`${ORIGIN}/`, `${ORIGIN}/playground/`]))
  })

  it('each page leads to the one before and after it, and has a footer', () => {
    const [first = '', second = '', third = ''] = linksOf(sidebar())
    const links = tagsOf(readBuilt(`${second}.html`)).filter(({ tag }) => tag === 'a')
    const pager = links.filter(({ attributes }) => attributes.get('class')?.includes('pager-link'))
    expect(pager.map(({ attributes }) => attributes.get('href'))).toEqual([`${first}.html`, `${third}.html`])
    for (const page of ['/index.html', '/schemes.html'])
      expect(readBuilt(page)).toContain('class="site-footer"')
  })

  it('no page shows the marks of its text, such as a backtick', () => {
    const shown = PAGES.flatMap((page) => {
      const text = readBuilt(`/${page}.html`)
        .replaceAll(/<(code|pre|script|style)\b.*?<\/\1>/gs, '')
        .replaceAll(/<[^>]*>/g, '')
      return [...text.matchAll(/.{0,30}(?:`|\*\*|\]\().{0,30}/g)].map(([found]) => `${page}: ${found}`)
    })
    expect(shown).toEqual([])
  })

  it('the site has a page of the reference for each subpath', () => {
    expect(builtFiles('.html')).toEqual(
      expect.arrayContaining([
        '/api/hookgate.html',
        '/api/hookgate/web.html',
        '/api/hookgate/schemes/stripe.html',
      ]),
    )
  })
})

/** What a browser loads by itself, not when a reader follows a link. */
const LOADS = new Set([
  'script src',
  'link href',
  'img src',
  'iframe src',
  'source src',
  'source srcset',
  'object data',
])

function loadsOf(path: string): string[] {
  const text = readBuilt(path)
  if (path.endsWith('.html')) {
    const loading = tagsOf(text).filter(({ attributes }) => attributes.get('rel') !== 'canonical')
    return loading.flatMap(({ tag, attributes }) =>
      [...attributes].filter(([name]) => LOADS.has(`${tag} ${name}`)).map(([, value]) => value),
    )
  }
  const calls = path.endsWith('.css')
    ? /@import\s*(?:url\()?["']?([^"')]+)|url\(\s*["']?([^"')]+)/g
    : /(?:\bfetch|\bimport|importScripts|new (?:Worker|EventSource|WebSocket|URL))\(\s*["'`]([^"'`]+)|\bfrom\s*["']([^"']+)/g
  return [...text.matchAll(calls)].map(([, first, second]) => first ?? second ?? '')
}

/** What begins with a bracket is no host: `cidr.ts` has a URL write an address. */
const isForeign = (target: string) => /^(?:[a-z]+:)?\/\/(?!\[)/.test(target)

describe('nothing is loaded from another host', () => {
  it.each(['.html', '.css', '.js'])('no %s file loads anything', (ending) => {
    const files = builtFiles(ending)
    expect(files.flatMap(loadsOf).length).toBeGreaterThan(2)
    const foreign = files.flatMap((file) =>
      loadsOf(file)
        .filter(isForeign)
        .map((target) => `${file}: ${target}`),
    )
    expect(foreign).toEqual([])
  })
})
