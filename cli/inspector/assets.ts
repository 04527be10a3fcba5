import { readFile } from 'node:fs/promises'

export interface Asset {
  readonly type: string
  readonly bytes: Uint8Array
}

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

/** The page's files by path. `bundle.mjs` builds them from the folder `page` into the published package. */
const FILES = {
  '/': 'page.html',
  '/page.css': 'page.css',
  '/page.js': 'page.js',
  '/icon.svg': 'icon.svg',
} as const

export async function readAssets(): Promise<ReadonlyMap<string, Asset>> {
  const folder = new URL('dist/cli/inspector/page/', import.meta.resolve('hookgate/package.json'))
  const entries = Object.entries(FILES).map(async ([path, file]) => {
    const extension = file.slice(file.lastIndexOf('.') + 1) as keyof typeof TYPES // as the table above shows
    return [path, { type: TYPES[extension], bytes: await readFile(new URL(file, folder)) }] as const
  })
  return new Map(await Promise.all(entries))
}
