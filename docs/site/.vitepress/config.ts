import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig, type UserConfig } from 'vitepress'
import { foldLines, keepCodeWhole } from './code.ts'
import { switchFrameworks } from './frameworks.ts'
import { headingId } from './heading-id.ts'
import { linksToRepository, REPOSITORY } from './links.ts'
import { forAgents } from './llms.ts'
import { NAV, PLAYGROUND } from './nav.ts'
import { canonical, describe, linkPreview } from './page-head.ts'
import { asOneWord, boostDocument, withItsWords } from './search.ts'
import { OFF_SITE, sidebar } from './sidebar.ts'
import { nameCells } from './tables.ts'
import type { OwnConfig } from './theme/layout.ts'

const HERE = fileURLToPath(import.meta.url)

/** The path of the site on its host, e.g. `/hookgate/`. */
const BASE = process.env.SITE_BASE ?? '/'
/** The origin of the site, e.g. `https://hookgate.example`, without which there is no sitemap, no canonical address, and no picture in previews. */
const ORIGIN = process.env.SITE_ORIGIN ?? ''

/** Resolves Vue from this package. The pages lie outside it. */
const ownVue: Plugin = {
  name: 'own-vue',
  enforce: 'pre',
  resolveId(source) {
    return /^vue(?:$|\/)/.test(source) ? this.resolve(source, HERE, { skipSelf: true }) : null
  },
}

/** Before the page is painted: the framework that the reader chose on another page. layout.ts keeps it. */
const REMEMBERED = `try { document.documentElement.dataset.framework = localStorage.getItem('hookgate-framework') ?? '' } catch {}`

const config: UserConfig<OwnConfig> = defineConfig<OwnConfig>({
  title: 'hookgate',
  description:
    'Verify the webhooks you receive, skip duplicates, and run an event again if your handler failed.',
  lang: 'en',
  base: BASE,
  // The pages stay in docs/, where GitHub shows them.
  srcDir: '..',
  srcExclude: ['api/html/**', ...OFF_SITE.map((page) => `${page}.md`)],
  outDir: './dist',
  rewrites: (page) =>
    page
      .replace(/^api\/pages\//, 'api/')
      .replace(/^api\/README\.md$/, 'api/index.md')
      .replace(/^site\//, ''),
  ignoreDeadLinks: [PLAYGROUND],
  head: [
    ['link', { rel: 'icon', href: `${BASE}playground/icon.svg`, type: 'image/svg+xml' }],
    ['script', {}, REMEMBERED],
  ],
  ...(ORIGIN !== '' && {
    sitemap: {
      hostname: `${ORIGIN}${BASE}`,
      transformItems: (items) => [...items, { url: PLAYGROUND.slice(1) }],
    },
  }),
  transformPageData: (page, { siteConfig }) => describe(page, `${siteConfig.srcDir}/${page.filePath}`),
  transformHead: ({ pageData }) => [
    ...(ORIGIN === '' ? [] : [canonical(pageData, `${ORIGIN}${BASE}`)]),
    ...linkPreview(pageData, `${ORIGIN}${BASE}link-preview.png`),
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    codeTransformers: [foldLines],
    anchor: { slugify: headingId },
    headers: { slugify: headingId },
    config: (markdown) => {
      switchFrameworks(markdown)
      nameCells(markdown)
      keepCodeWhole(markdown)
      linksToRepository(markdown, BASE)
    },
  },
  vite: {
    plugins: [ownVue, ...forAgents(BASE)],
    publicDir: fileURLToPath(new URL('../public', import.meta.url)),
  },
  themeConfig: {
    nav: [...NAV, { text: 'Source', link: REPOSITORY }],
    repository: REPOSITORY,
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: { searchOptions: { boostDocument: boostDocument(BASE), tokenize: asOneWord } },
        _render: async (text, env, markdown) =>
          withItsWords(await markdown.renderAsync(text, env), env.relativePath.replace('.md', '')),
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
})

export default config
