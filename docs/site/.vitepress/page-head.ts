import { readFileSync } from 'node:fs'
import type { HeadConfig, PageData } from 'vitepress'

const LONGEST = 160

/** The first paragraph of a page as plain text, cut at the end of a sentence if it is long. */
export function descriptionOf(markdown: string): string | undefined {
  const first = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/<!--[\s\S]*?-->|^```[\s\S]*?^```$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .find((block) => /^[\p{L}\p{N}`*["'\u201c]/u.test(block))
  if (first === undefined) return undefined
  const text = first
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>|[*`]/g, '')
    .replaceAll(/\s+/g, ' ')
  return text.length <= LONGEST ? text : shortened(text)
}

function shortened(text: string): string {
  const part = text.slice(0, LONGEST)
  const end = part.lastIndexOf('. ')
  return end > LONGEST / 3 ? part.slice(0, end + 1) : `${part.slice(0, part.lastIndexOf(' '))} …`
}

/**
 * Sets the description of a page. The first page has its own.
 * @param file the path of its Markdown
 */
export function describe(page: PageData, file: string): void {
  if (page.relativePath.startsWith('api/hookgate')) {
    page.description = `API reference of ${page.title}: exports, options, types and errors.`
  } else if (page.description === '') page.description = descriptionOf(readFileSync(file, 'utf8')) ?? ''
}

/** The one address of a page. `site` is the whole URL of the first. */
export function canonical(page: PageData, site: string): HeadConfig {
  const path = page.relativePath.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')
  return ['link', { rel: 'canonical', href: `${site}${path}` }]
}

/** What a chat or a social network shows for a link. It needs the picture's whole URL: SITE_ORIGIN. */
export function linkPreview(page: PageData, picture: string): HeadConfig[] {
  const metas = {
    'og:type': 'website',
    'og:site_name': 'hookgate',
    'og:title': page.title,
    'og:description': page.description,
    'og:image': picture,
    'og:image:width': '1200',
    'og:image:height': '630',
    'og:image:alt': 'hookgate: verify the webhooks you receive',
  }
  return [
    ...Object.entries(metas).map(([property, content]): HeadConfig => ['meta', { property, content }]),
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ]
}
