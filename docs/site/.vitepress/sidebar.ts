import { readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

/** Every page of docs/, by what a reader wants to do. */
const GROUPS: { readonly [group: string]: readonly string[] } = {
  Start: ['quickstart', 'how-it-works', 'events', 'tunnels', 'testing', 'types', 'agents'],
  Frameworks: [
    'frameworks/express',
    'frameworks/fastify',
    'frameworks/hono',
    'frameworks/nextjs',
    'frameworks/nestjs',
    'frameworks/sveltekit-nuxt-astro',
    'frameworks/bun-deno',
    'frameworks/workers',
    'frameworks/vercel',
    'frameworks/serverless',
    'frameworks/other',
  ],
  Receive: [
    'schemes',
    'thin-events',
    'openapi',
    'options',
    'stores',
    'idempotent',
    'ordering',
    'tenants',
    'inbox',
    'handoff',
  ],
  Operate: ['operating', 'observability', 'proxies', 'limits', 'forward', 'runtimes', 'speed'],
  'When it fails': [
    'troubleshooting',
    'in-front',
    'missed-events',
    'errors',
    'playground',
    'inspector',
    'doctor',
  ],
  Tools: ['cli', 'conform'],
  Send: ['specification', 'senders', 'sender'],
}

/** Pages that users do not need: last in the sidebar, and not in the search. */
export const MAINTAINERS: readonly string[] = ['decisions']

/** The pages of a folder of docs/. Those of schemes/ are made by `npm run docs:schemes`. */
const pagesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`../../${folder}/`, import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replace('.md', '')}`)

/** The sidebar, with the pages' own titles. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  return [
    ...Object.entries(GROUPS).map(([text, pages]) => group(text, pages)),
    { ...group('Move to hookgate', pagesIn('migrate')), collapsed: true },
    { ...group('Senders', pagesIn('schemes')), collapsed: true },
    { text: 'Reference', items: [{ text: 'API', link: '/api/' }] },
    group('Maintainers', MAINTAINERS),
  ]
}

const group = (text: string, pages: readonly string[]) => ({
  text,
  items: pages.map((page) => ({ text: titleOf(page), link: `/${page}` })),
})

function titleOf(page: string): string {
  const text = readFileSync(new URL(`../../${page}.md`, import.meta.url), 'utf8')
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? page
}
