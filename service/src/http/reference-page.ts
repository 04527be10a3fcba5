import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { Dependencies } from './dependencies.ts'
import { pageHeaders, serveFile } from './page.ts'
import type { Router } from './router.ts'
import { unrouted } from './unrouted.ts'

/** From the npm package, so the page works offline. */
const SWAGGER_UI = pathToFileURL(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

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

/** Serves `/docs`, which displays `/openapi.json`. "Try it out" sends requests to the base URL. Needs no token. */
export function serveReference(app: Router, { baseUrl }: Dependencies): void {
  app.get('/docs', (c) => c.html(PAGE, 200, pageHeaders(new URL(baseUrl).origin)))
  app.get('/docs/', (c) => c.redirect('/docs', 301))
  const script = 'text/javascript'
  serveFile(app, '/docs/swagger-ui.css', 'text/css', new URL('swagger-ui.css', SWAGGER_UI))
  serveFile(app, '/docs/swagger-ui-bundle.js', script, new URL('swagger-ui-bundle.js', SWAGGER_UI))
  serveFile(app, '/docs/docs.js', script, new URL('../../assets/docs.js', import.meta.url))
  app.all('/docs/*', unrouted(app))
}
