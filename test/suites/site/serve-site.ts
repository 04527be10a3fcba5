import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { SITE } from './site-files.ts'

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

export interface ServedSite {
  readonly origin: string
  /** The gzip bytes of each requested file, by path. */
  readonly served: Map<string, number>
  close(): void
}

/** The built site on a free port, served as any static host would. */
export async function serveSite(): Promise<ServedSite> {
  const served = new Map<string, number>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const path = pathname.endsWith('/') ? `${pathname}index.html` : pathname
    const file = SITE + path
    if (path.includes('..') || !existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404).end()
      return
    }
    const bytes = readFileSync(file)
    served.set(path, gzipSync(bytes).length)
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return { origin: `http://127.0.0.1:${port}`, served, close: () => server.close() }
}
