import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress'
import { headingId, linksToRepository, PLAYGROUND, REPOSITORY } from './links.ts'
import { sidebar } from './sidebar.ts'

const HERE = fileURLToPath(import.meta.url)

/** Where the reader is served the pages from: `/hookgate/` where they are not at the root of a host. */
const BASE = process.env.SITE_BASE ?? '/'

/** The pages are outside this package, where nothing would find its Vue. */
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
  // The pages stay where they are read on GitHub.
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
  vite: { plugins: [ownVue] },
  themeConfig: {
    nav: [
      { text: 'Senders', link: '/schemes' },
      { text: 'Errors', link: '/errors' },
      { text: 'API', link: '/api/' },
      { text: 'Playground', link: PLAYGROUND, target: '_self' },
      { text: 'Source', link: REPOSITORY },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
})

export default config
