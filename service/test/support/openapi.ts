import type { Subject } from './subject.ts'

interface Schema {
  readonly type?: unknown
  readonly required?: readonly string[]
  readonly properties: Readonly<
    Record<string, { readonly readOnly?: true; readonly examples?: readonly string[] }>
  >
}

interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, Response>>
}

/** The part of OpenAPI 3.1 that the tests read. */
export interface OpenApiDocument {
  readonly info: { readonly version: string }
  readonly servers: readonly object[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

export async function openApiOf({ app }: Subject): Promise<OpenApiDocument> {
  // The linter checks the real type.
  return (await (await app.request('/openapi.json')).json()) as OpenApiDocument
}

export function operationAt(document: OpenApiDocument, path: string, method = 'post'): Operation {
  return there(document.paths[path]?.[method], `${method} ${path}`)
}

export function schemaOf(document: OpenApiDocument, name: string): Schema {
  return there(document.components.schemas[name], name)
}

/** The reply of a refusal with this status. */
export function problemOf({ responses }: Operation, status: number): Schema {
  return there(responses[status]?.content['application/problem+json'], `${status}`).schema
}

function there<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`the document has no ${name}`)
  return value
}
