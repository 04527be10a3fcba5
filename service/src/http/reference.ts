import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Dependencies } from './dependencies.ts'
import { Problem } from './problem.ts'
import type { Router } from './router.ts'
import { unrouted } from './unrouted.ts'

const DESCRIPTION = `Tasks and their Skip Step action, policies, entitlements, and inbound webhooks that run automations.

What the specification does not show is marked \`x-addition-to-specification\`.
A path that is asked with another method than those listed here answers 405, with \`Allow\`.
A request is refused (\`request_invalid\`) when it sets a field that it does not take: read-only ones, and misspelt ones.
Enumerated fields may hold words that are not listed here; clients must tolerate them.`

/** `/openapi.json`, generated from the schemas that judge the requests, and `/docs`, which shows it. Both are open. */
export function describeApi(app: Router, { baseUrl }: Dependencies): void {
  const registry = app.openAPIRegistry
  registry.registerComponent('securitySchemes', 'bearerAuth', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of this service.',
  })
  registry.registerComponent('securitySchemes', 'oauth', {
    type: 'oauth2',
    description:
      'Declared by the specification, which shows no flow. The access token above serves for both schemes.',
    flows: {},
  })
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Task Actions, Inbound Webhooks and Pagination',
      version: '0.1.0-alpha',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearerAuth: [], oauth: [] }],
  })
  servePage(app)
}

/** The files of Swagger UI that the page needs, from the package: it works without the internet. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>API reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true })</script>
</html>
`

function servePage(app: Router): void {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  app.get('/docs', (c) => c.html(PAGE))
  app.get('/docs/', (c) => c.redirect('/docs', 301))
  app.get('/docs/:file', async (c) => {
    const file = c.req.param('file')
    const type = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined
    if (type === undefined) throw new Problem('route_unknown', 'There is nothing here.')
    return c.body(await readFile(join(folder, file), 'utf8'), 200, { 'content-type': type })
  })
  // Without a token, too.
  for (const path of ['/openapi.json', '/docs', '/docs/', '/docs/:file']) app.all(path, unrouted(app))
}
