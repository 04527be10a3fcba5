import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** As VitePress takes it. Not its own type: tests read this file where VitePress is not installed. */
interface Item {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: Item[]
}

interface Group {
  /** The pages of docs/ in their order. `folder/*` stands for the folder's pages that no group names. */
  readonly pages: readonly string[]
  readonly collapsed?: boolean
  /** Groups within the group. */
  readonly groups?: { readonly [name: string]: Group }
}

/**
 * The place of each page. A page that does not exist is left out, so that a page and its line can be added in either order.
 * A test holds that each page has one place.
 */
const GROUPS: { readonly [name: string]: Group } = {
  Start: { pages: ['why', 'quickstart', 'how-it-works'] },
  Senders: {
    pages: ['schemes', 'duplicates', 'own-scheme'],
    groups: { 'Each sender': { pages: ['schemes/*'], collapsed: true } },
  },
  Frameworks: {
    pages: [
      'frameworks/express',
      'frameworks/fastify',
      'frameworks/hono',
      'frameworks/nextjs',
      'frameworks/nestjs',
      'frameworks/sveltekit-nuxt-astro',
      'frameworks/bun-deno',
      'frameworks/workers',
      'frameworks/vercel',
      'frameworks/netlify',
      'frameworks/supabase',
      'frameworks/firebase',
      'frameworks/serverless',
      'frameworks/*',
      'frameworks/other',
    ],
  },
  'How-to': {
    pages: [
      'tunnels',
      'testing',
      'types',
      'idempotent',
      'inbox',
      'ordering',
      'events',
      'handoff',
      'rotate',
      'recover',
      'tenants',
      'proxies',
      'operating',
      'stopping',
      'observability',
      'forward',
    ],
    groups: { Migrate: { pages: ['migrate/*'], collapsed: true } },
  },
  Stores: { pages: ['stores', 'stores/*'] },
  Fix: { pages: ['troubleshooting', 'inspector', 'doctor'] },
  Reference: { pages: ['options', 'errors', 'cli', 'runtimes', 'security-model'] },
  Sending: { pages: ['specification', 'senders', 'sender', 'conform'], collapsed: true },
}

/** Pages for those who work on hookgate. GitHub shows them, the site does not. */
export const OFF_SITE: readonly string[] = ['decisions']

const FOLDERS = ['frameworks', 'stores', 'migrate', 'schemes']

const fileOf = (path: string) => new URL(`../../${path}`, import.meta.url)

const pagesIn = (folder: string): readonly string[] =>
  (existsSync(fileOf(folder)) ? readdirSync(fileOf(folder)) : [])
    .filter((name) => name.endsWith('.md'))
    .map((name) => (folder === '.' ? '' : `${folder}/`) + name.replace('.md', ''))
    .filter((page) => !OFF_SITE.includes(page))

/** Every page of the site but the first one and the API reference, as a path without its ending. */
export const PAGES: readonly string[] = ['.', ...FOLDERS].flatMap(pagesIn)

const allGroups = (groups: { readonly [name: string]: Group }): readonly Group[] =>
  Object.values(groups).flatMap((group) => [group, ...allGroups(group.groups ?? {})])

const NAMED = allGroups(GROUPS).flatMap(({ pages }) => pages)

const isMeantBy = (name: string, page: string) =>
  name === page || (name === `${page.split('/')[0]}/*` && !NAMED.includes(page))

/** The link to the page for those who begin. VitePress cannot make it in the page itself: it mangles two static parts around it. */
export const START = '/quickstart'

/** The groups that begin unfolded. VitePress unfolds the one of the page, too. */
const UNFOLDED = 2

/** The sidebar, with the pages' own titles. */
export function sidebar(): Item[] {
  const items = itemsOf({
    ...GROUPS,
    Reference: { ...GROUPS.Reference, pages: [...(GROUPS.Reference?.pages ?? []), 'api'] },
  })
  return items.map((item, at) => (at < UNFOLDED ? item : { ...item, collapsed: true }))
}

const itemsOf = (groups: { readonly [name: string]: Group }): Item[] =>
  Object.entries(groups).map(([text, { pages, collapsed, groups: within = {} }]) => ({
    text,
    ...(collapsed && { collapsed }),
    items: [
      ...pages
        .flatMap((name) => (name === 'api' ? [name] : PAGES.filter((page) => isMeantBy(name, page))))
        .map((page) => ({ text: titleOf(page), link: page === 'api' ? '/api/' : `/${page}` })),
      ...itemsOf(within),
    ],
  }))

function titleOf(page: string): string {
  if (page === 'api') return 'API'
  const text = readFileSync(fileOf(`${page}.md`), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page
  return /^(?:schemes|frameworks)\//.test(page)
    ? title.replace(/^Receive webhooks on | webhooks(?=:|$)/, '')
    : title
}
