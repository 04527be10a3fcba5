import { readFileSync } from 'node:fs'
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

/** What coding agents get wrong most often. Stands in `llms.txt` before the list of pages. */
const RULES = readFileSync(new URL('agents.md', import.meta.url), 'utf8').trim()

/** The pages as Markdown: `llms.txt`, `llms-full.txt`, and a `.md` beside each `.html`. */
export const forAgents = (base: string): readonly Plugin[] => [
  ownLinks,
  ...llmstxt({
    details: RULES.replaceAll('](/', `](${base}`),
    ignoreFiles: ['api/**', ...OFF_SITE.map((page) => `${page}.md`)],
    injectLLMHint: false,
  }),
]
