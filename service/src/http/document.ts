import { memberOf } from '../member-of.ts'
import type { Example } from './examples.ts'
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
export function documentText(document: object, exampleOf: (operationId: string) => Example): string {
  return JSON.stringify(document, (_name, value: unknown) => presented(value, exampleOf))
}

function presented(value: unknown, exampleOf: (operationId: string) => Example): unknown {
  const operationId = memberOf(value, 'operationId')
  // Only operations have this member.
  if (typeof operationId === 'string') return presentedOperation(value as Operation, exampleOf(operationId))
  // Without an example, tools make up numbers for this string.
  const isInt64 = memberOf(value, 'type') === 'string' && memberOf(value, 'format') === 'int64'
  if (isInt64) return { examples: ['1'], ...Object(value) }
  return value
}

function presentedOperation({ parameters, requestBody, ...operation }: Operation, example: Example): object {
  const [mark] = Object.keys(ADDITION)
  return {
    ...operation,
    summary: `${operation.summary}${mark && mark in operation ? ' (addition)' : ''}`,
    ...(parameters && { parameters: parameters.map((each) => withExample(each, example)) }),
    ...(requestBody && { requestBody: withExampleBody(example, requestBody) }),
  }
}

function withExample(parameter: { readonly name: string }, { parameters }: Example): object {
  const example = parameters[parameter.name]
  return typeof example === 'string' ? { ...parameter, example } : parameter
}

function withExampleBody({ body: example }: Example, body: NonNullable<Operation['requestBody']>): object {
  const { 'application/json': json, ...others } = body.content
  return { ...body, content: { 'application/json': { ...json, example }, ...others } }
}
