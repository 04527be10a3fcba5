import type { Dependencies } from './dependencies.ts'
import { documentText } from './document.ts'
import { servePage } from './reference-page.ts'
import type { Router } from './router.ts'

const DESCRIPTION = `Tasks and their Skip Step action, policies, entitlements, and inbound webhooks that run automations.

What the specification does not show is called an addition, and marked \`x-addition-to-specification\`.
A path that is asked with another method than those listed here answers 405, with \`Allow\`.
A request is refused (\`request_invalid\`) when it sets a field that it does not take: read-only ones, and misspelt ones.
Enumerated fields may hold words that are not listed here; clients must tolerate them.`

/** `/openapi.json`, generated from the schemas that judge the requests, and `/docs`, which shows it. Both take no token. */
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
  let text: string | undefined // made by the first request, when every route is there
  app.get('/openapi.json', (c) => {
    text ??= documentText(app.getOpenAPI31Document(headOf(baseUrl)))
    return c.body(text, 200, { 'content-type': 'application/json' })
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
