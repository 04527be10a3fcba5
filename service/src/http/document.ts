import { readFile } from 'node:fs/promises'
import { memberOf } from '../member-of.ts'
import type { Dependencies } from './dependencies.ts'
import { ASSETS } from './page.ts'
import { ADDITION, type Router } from './router.ts'

const DESCRIPTION = `Tasks and their Skip Step action, policies, entitlements, and inbound webhooks that run automations.

What the specification does not show is called an addition, and marked \`x-addition-to-specification\`.
A path that is asked with another method than those listed here answers 405, with \`Allow\`.
A request that sets a read-only or unknown field is refused (\`request_invalid\`).
Enumerated fields may hold words that are not listed here; clients must tolerate them.`

/** What "Try it out" proposes. Works on a fresh demo tenant, in the order of the page. */
interface Examples {
  /** The values of parameters, by name. */
  readonly parameters: Readonly<Record<string, string>>
  /** By `operationId`: other values of its parameters, and its body. */
  readonly operations: Readonly<
    Record<string, { readonly parameters?: Readonly<Record<string, string>>; readonly body?: object }>
  >
}

const EXAMPLES: Examples = JSON.parse(await readFile(new URL('examples.json', ASSETS), 'utf8'))

/** Serves `/openapi.json`, generated from the schemas that validate requests. Needs no token. */
export function serveDocument(app: Router, { baseUrl }: Dependencies): void {
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
  let text: string | undefined // generated at the first request, when every route is registered
  app.get('/openapi.json', (c) => {
    text ??= JSON.stringify(app.getOpenAPI31Document(headOf(baseUrl)), presented)
    return c.body(text, 200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  })
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

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': object } }
}

/** Adds its examples to each operation, and marks every addition in its summary. */
function presented(_name: string, value: unknown): unknown {
  if (typeof memberOf(value, 'operationId') !== 'string') return value
  const operation = value as Operation // nothing else has this member
  const example = EXAMPLES.operations[operation.operationId]
  const values = { ...EXAMPLES.parameters, ...example?.parameters }
  const json = operation.requestBody?.content['application/json']
  const isAddition = Object.keys(ADDITION).some((mark) => mark in operation)
  return {
    ...operation,
    summary: `${operation.summary}${isAddition ? ' (addition)' : ''}`,
    parameters: operation.parameters?.map((each) => ({ ...each, example: values[each.name] })),
    requestBody: json && {
      ...operation.requestBody,
      content: { 'application/json': { ...json, example: example?.body } },
    },
  }
}
