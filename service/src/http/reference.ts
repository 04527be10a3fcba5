import type { Dependencies } from './dependencies.ts'
import { documentText } from './document.ts'
import { readExamples } from './examples.ts'
import { servePage } from './reference-page.ts'
import type { Router } from './router.ts'

const DESCRIPTION = `Tasks and their Skip Step action, policies, entitlements, and inbound webhooks that run automations.

What the specification does not show is called an addition, and marked \`x-addition-to-specification\`.
A path that is asked with another method than those listed here answers 405, with \`Allow\`.
A request that sets a read-only or unknown field is refused (\`request_invalid\`).
Enumerated fields may hold words that are not listed here; clients must tolerate them.`

/**
 * Serves `/openapi.json`, generated from the schemas that validate requests, and `/docs`, which displays it. Neither
 * needs a token.
 */
export function describeApi(app: Router, dependencies: Dependencies): void {
  const { baseUrl } = dependencies
  const registry = app.openAPIRegistry
  registry.registerComponent('securitySchemes', 'bearerAuth', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of this service.',
  })
  registry.registerComponent('securitySchemes', 'oauth', {
    type: 'oauth2',
    description:
      'Declared by the specification, without a flow. The access token above works for both schemes.',
    flows: {},
  })
  let document: object | undefined // generated at the first request, when every route is registered
  app.get('/openapi.json', async (c) => {
    document ??= app.getOpenAPI31Document(headOf(baseUrl))
    const text = documentText(document, await readExamples(dependencies))
    return c.body(text, 200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  })
  servePage(app, baseUrl)
}

function headOf(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Task Actions, Inbound Webhooks and Pagination',
      version: '0.1.0-alpha',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearerAuth: [], oauth: [] }],
  }
}
