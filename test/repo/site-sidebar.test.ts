import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { NAV } from '../../docs/site/.vitepress/nav.ts'
import { ANSWER_TO } from '../../docs/site/.vitepress/search.ts'
import { PAGES, sidebar } from '../../docs/site/.vitepress/sidebar.ts'

const linksOf = (items: ReturnType<typeof sidebar>): string[] =>
  items.flatMap(({ link, items: within = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(within)])

it("each page has one place in the site's sidebar: add it to docs/site/.vitepress/sidebar.ts", () => {
  expect(linksOf(sidebar()).toSorted()).toEqual([...PAGES.map((page) => `/${page}`), '/api/'].toSorted())
})

it('the groups of the sidebar stand in the order of a reader', () => {
  expect(sidebar().map(({ text }) => text)).toEqual([
    ...['Start', 'Senders', 'Frameworks', 'How-to', 'Stores', 'Fix', 'Reference', 'Sending'],
  ])
})

it('each word that readers search for has a page', () => {
  expect(Object.values(ANSWER_TO).filter((page) => !PAGES.includes(page))).toEqual([])
})

it('the groups below the first two begin folded', () => {
  expect(sidebar().map(({ collapsed }) => collapsed === true)).toEqual(sidebar().map((_, at) => at > 1))
})

it("the playground's bar has the links of the site's", () => {
  const page = readFileSync(new URL('../../docs/site/playground/index.html', import.meta.url), 'utf8')
  const [, bar = ''] = /<nav[^>]*>(.*?)<\/nav>/s.exec(page) ?? []
  const links = [...bar.matchAll(/href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href = '', text]) => ({
    text,
    link: new URL(href, 'http://site/playground/').pathname.replace('.html', ''),
  }))
  expect(links).toEqual(NAV.map(({ text, link }) => ({ text, link })))
})
