import { EXAMPLE_BODIES, EXAMPLE_PARAMETERS } from './examples.ts'
import { ADDITION } from './router.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': object } }
}

/**
 * Prepares the OpenAPI document for readers. Adds examples that work on the demo tenant, and marks every addition in
 * its summary.
 */
export function documentText(document: object): string {
  return JSON.stringify(document, (_name, value: unknown) => presented(value))
}

function presented(value: unknown): unknown {
  const { operationId, type, format } = Object(value)
  // Only operations have this member.
  if (typeof operationId === 'string') return presentedOperation(value as Operation)
  // Without an example, tools make up numbers for this string.
  if (type === 'string' && format === 'int64') return { examples: ['1'], ...Object(value) }
  return value
}

function presentedOperation({ parameters, requestBody, ...operation }: Operation): object {
  const [mark] = Object.keys(ADDITION)
  return {
    ...operation,
    summary: `${operation.summary}${mark && mark in operation ? ' (addition)' : ''}`,
    ...(parameters && { parameters: parameters.map(withExample) }),
    ...(requestBody && { requestBody: withExampleBody(operation.operationId, requestBody) }),
  }
}

function withExample(parameter: { readonly name: string }): object {
  const example = EXAMPLE_PARAMETERS[parameter.name]
  return example === undefined ? parameter : { ...parameter, example }
}

function withExampleBody(operationId: string, body: NonNullable<Operation['requestBody']>): object {
  const example = EXAMPLE_BODIES[operationId]
  const { 'application/json': json, ...others } = body.content
  return { ...body, content: { 'application/json': { ...json, example }, ...others } }
}
