import { expect, it } from 'vitest'
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
