import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

export const ROOT: string = fileURLToPath(new URL('../../..', import.meta.url))
export const SITE: string = `${ROOT}docs/site/dist`

/** The built files with these endings, as paths from the root of the site: `/schemes.html`. */
export function builtFiles(...endings: readonly string[]): string[] {
  return readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => `/${name}`)
}

export const readBuilt = (path: string): string => readFileSync(SITE + path, 'utf8')

/** The tags of a page, with their attributes. Good enough for VitePress's HTML. */
export function tagsOf(
  html: string,
): { readonly tag: string; readonly attributes: ReadonlyMap<string, string> }[] {
  return [...html.matchAll(/<([a-z][a-z0-9-]*)\s([^>]*)>/g)].map(([, tag = '', text = '']) => ({
    tag,
    attributes: new Map(
      [...text.matchAll(/([a-z][a-z-]*)="([^"]*)"/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('&amp;', '&'),
      ]),
    ),
  }))
}

/** The gzip bytes of a page and everything that it loads before any user action. */
export function firstLoadBytes(page: string): number {
  const html = readBuilt(page)
  const loaded = tagsOf(html).flatMap(({ tag, attributes }) => {
    if (tag === 'script') return attributes.get('src') ?? []
    return tag === 'link' && !/^(?:icon|canonical)$/.test(attributes.get('rel') ?? '')
      ? (attributes.get('href') ?? [])
      : []
  })
  const files = [...new Set(loaded.map((href) => new URL(href, `http://site${page}`).pathname))]
  return [page, ...files].reduce((sum, file) => sum + gzipSync(readFileSync(SITE + file)).length, 0)
}
