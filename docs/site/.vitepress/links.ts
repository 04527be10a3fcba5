import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MarkdownRenderer } from 'vitepress'
import { PLAYGROUND, WHY } from './nav.ts'
import { PAGES, START } from './sidebar.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { repository } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The repository in a browser, as package.json names it. */
export const REPOSITORY: string = repository.url.replace(/^git\+/, '').replace(/\.git$/, '')

/** The comment in docs/schemes.md that begins its list. On the site, the reader filters the list. */
const FINDER = /<!-- finder: .*? -->/

/**
 * Links between pages stay links of the site. Links to other files of the repository lead to the repository.
 *
 * @throws Error for a file that does not exist: VitePress looks for dead links among pages only.
 */
export function linksToRepository(markdown: MarkdownRenderer, base: string): void {
  markdown.core.ruler.push('links-to-repository', ({ tokens, env }) => {
    const file = env.realPath ?? env.path
    if (file === undefined) return // a title, rendered without its page
    const page = relative(root, file)
    for (const token of tokens.filter(({ type }) => type === 'html_block')) {
      token.content = withBothThemes(token.content)
        .replace(FINDER, '<SenderFinder />')
        .replace('"START"', `"${base}${START.slice(1)}.html"`)
        .replace('"WHY"', `"${base}${WHY.slice(1)}.html"`)
        .replace(/(src|srcset)="([^"]+)"/g, (whole, attribute, target) =>
          isFile(target) ? `${attribute}="${pictureOf(target, page)}"` : whole,
        )
    }
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const attribute = { link_open: 'href', image: 'src' }[token.type]
      const target = attribute && token.attrGet(attribute)
      if (!target) continue
      const link = isFile(target) ? siteLink(target, page) : target
      token.attrSet(attribute, link)
      // Without a target, VitePress would route to a page of its own.
      if (link === PLAYGROUND) token.attrSet('target', '_self')
    }
  })
}

const CODE = /(^ *```[\s\S]*?^ *```$|`[^`\n]+`)/m
const LINK = /(?<!!\[[^\]]*)\]\(([^)\s]+)\)/g

/** The text of a page with its links to files of the repository as URLs. Links between pages stay as they are. */
export function linksToFiles(text: string, file: string): string {
  const page = relative(root, file)
  const withUrls = (prose: string) =>
    prose.replace(LINK, (whole, target) => {
      const link = isFile(target) ? siteLink(target, page) : target
      return link.startsWith('/') && link !== PLAYGROUND ? whole : `](${link})`
    })
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 0 ? withUrls(part) : part))
    .join('')
}

const DARK =
  /<source media="\(prefers-color-scheme: dark\)" (srcset="[^"]+")>\s*<img (src="[^"]+") (alt="[^"]+")>/g

/** On the site, a picture follows the theme that the reader chose. On GitHub, it follows that of the system. */
function withBothThemes(html: string): string {
  return html.replace(DARK, (_, dark: string, light: string, alt: string) =>
    [
      `<img class="if-dark" ${dark.replace('srcset', 'src')} ${alt}>`,
      `<img class="if-light" ${light} ${alt}>`,
    ].join(''),
  )
}

/** VitePress takes a picture in HTML from where the page itself is, although it moves the page. */
function pictureOf(target: string, page: string): string {
  const from = dirname(page)
  return `./${relative(from, join(from, target))}`
}

const isFile = (target: string) => !/^(?:[a-z]+:|#|\/)/.test(target)

function siteLink(target: string, page: string): string {
  const [path = '', hash] = target.split('#')
  const file = join(dirname(page), path)
  if (!existsSync(root + file)) throw new Error(`${page}: ${target} does not exist`)
  if (file === 'docs/site/playground/index.html') return PLAYGROUND
  const end = hash === undefined ? '' : `#${hash}`
  if (file.startsWith('docs/api/pages/')) return target
  if (PAGES.includes(relative('docs', file).replace(/\.md$/, ''))) return `/${relative('docs', file)}${end}`
  if (/\.(?:png|svg)$/.test(file)) return `./${relative(dirname(page), file)}`
  return `${REPOSITORY}/${statSync(root + file).isDirectory() ? 'tree' : 'blob'}/main/${file}${end}`
}
