import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { pageHeaders } from './page-headers.ts'
import { Problem } from './problem.ts'
import type { Router } from './router.ts'
import { unrouted } from './unrouted.ts'

const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** The page's script and the Swagger UI files it needs. They come from the npm package, so the page works offline. */
const FILES: Readonly<Record<string, { readonly type: string; readonly at: URL }>> = {
  'swagger-ui.css': { type: 'text/css', at: new URL('swagger-ui.css', SWAGGER_UI) },
  'swagger-ui-bundle.js': { type: 'text/javascript', at: new URL('swagger-ui-bundle.js', SWAGGER_UI) },
  'docs.js': { type: 'text/javascript', at: new URL('../../assets/docs.js', import.meta.url) },
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/docs.js"></script>
</html>
`

/** Serves `/docs`. "Try it out" sends requests to the base URL. */
export function servePage(app: Router, baseUrl: string): void {
  app.get('/docs', (c) => c.html(PAGE, 200, pageHeaders(new URL(baseUrl).origin)))
  app.get('/docs/', (c) => c.redirect('/docs', 301))
  app.get('/docs/:file', async (c) => {
    const name = c.req.param('file')
    const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined
    if (file === undefined) throw new Problem('route_unknown', 'There is no such route.')
    return c.body(await readFile(file.at, 'utf8'), 200, { 'content-type': file.type })
  })
  // Needs no token either.
  for (const path of ['/openapi.json', '/docs', '/docs/', '/docs/:file']) app.all(path, unrouted(app))
}
