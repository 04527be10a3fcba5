import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Dependencies } from './dependencies.ts'
import { ASSETS, pageHeaders, serveFile } from './page.ts'
import type { Router } from './router.ts'
import { unrouted } from './unrouted.ts'

/** From the npm package, so the page works offline. */
const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Serves `/docs`, which displays `/openapi.json`. "Try it out" sends requests to the base URL. Needs no token. */
export function serveReference(app: Router, { baseUrl }: Dependencies): void {
  const headers = pageHeaders(new URL(baseUrl).origin)
  app.get('/docs', async (c) => c.html(await readFile(new URL('docs.html', ASSETS), 'utf8'), 200, headers))
  app.get('/docs/', (c) => c.redirect('/docs', 301))
  const script = 'text/javascript'
  serveFile(app, '/docs/swagger-ui.css', 'text/css', new URL('swagger-ui.css', SWAGGER_UI))
  serveFile(app, '/docs/swagger-ui-bundle.js', script, new URL('swagger-ui-bundle.js', SWAGGER_UI))
  serveFile(app, '/docs/docs.js', script, new URL('docs.js', ASSETS))
  app.all('/docs/*', unrouted(app))
}
