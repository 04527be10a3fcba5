import type { Plugin } from 'vite'
import llmstxt from 'vitepress-plugin-llms'
import { linksToFiles } from './links.ts'
import { OFF_SITE } from './sidebar.ts'

/** A page as an agent reads it has no renderer that knows where the repository is. */
const ownLinks: Plugin = {
  name: 'own-links',
  enforce: 'pre',
  transform: (text, id) => (id.endsWith('.md') ? linksToFiles(text, id) : null),
}

/** The pages as Markdown: `llms.txt`, `llms-full.txt`, and a `.md` beside each `.html`. */
export const forAgents: readonly Plugin[] = [
  ownLinks,
  ...llmstxt({
    ignoreFiles: ['api/**', ...OFF_SITE.map((page) => `${page}.md`)],
    injectLLMHint: false,
  }),
]
