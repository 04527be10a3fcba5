import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress'
import { headingId } from './heading-id.ts'
import { linksToRepository, PLAYGROUND, REPOSITORY } from './links.ts'
import { forAgents } from './llms.ts'
import { MAINTAINERS, sidebar } from './sidebar.ts'

const HERE = fileURLToPath(import.meta.url)

/** The path of the site on its host, e.g. `/hookgate/`. */
const BASE = process.env.SITE_BASE ?? '/'

/** Resolves Vue from this package. The pages lie outside it. */
const ownVue: Plugin = {
  name: 'own-vue',
  enforce: 'pre',
  resolveId(source) {
    return /^vue(?:$|\/)/.test(source) ? this.resolve(source, HERE, { skipSelf: true }) : null
  },
}

const config: UserConfig<DefaultTheme.Config> = defineConfig({
  title: 'hookgate',
  description:
    'Verify the webhooks you receive, skip duplicates, and run an event again if your handler failed.',
  lang: 'en',
  base: BASE,
  // The pages stay in docs/, where GitHub shows them.
  srcDir: '..',
  srcExclude: ['api/html/**'],
  outDir: './dist',
  rewrites: (page) =>
    page
      .replace(/^api\/pages\//, 'api/')
      .replace(/^api\/README\.md$/, 'api/index.md')
      .replace(/^site\//, ''),
  ignoreDeadLinks: [PLAYGROUND],
  head: [['link', { rel: 'icon', href: `${BASE}playground/icon.svg`, type: 'image/svg+xml' }]],
  markdown: {
    anchor: { slugify: headingId },
    headers: { slugify: headingId },
    config: linksToRepository,
  },
  vite: { plugins: [ownVue, ...forAgents] },
  themeConfig: {
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Senders', link: '/schemes' },
      { text: 'Errors', link: '/errors' },
      { text: 'API', link: '/api/' },
      { text: 'Playground', link: PLAYGROUND, target: '_self' },
      { text: 'Source', link: REPOSITORY },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Guides come before the API, and before the sections of senders' pages, which repeat each other's words.
        miniSearch: {
          searchOptions: {
            boostDocument: (id: string) =>
              /\/api\//.test(id) ? 0.3 : /\/schemes\/.*(?<!-webhooks)$/.test(id) ? 0.6 : 1,
          },
        },
        _render: (text, env, markdown) =>
          MAINTAINERS.includes(env.relativePath.replace('.md', '')) ? '' : markdown.renderAsync(text, env),
      },
    },
    docFooter: { prev: false, next: false },
  },
})

export default config
