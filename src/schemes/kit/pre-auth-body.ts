import { pointerSteps } from '../../lib/json.ts'
import { readMembers, type Selection, selectionOf } from '../../lib/json-members.ts'
import { fail } from '../../reason.ts'
import { isForm, type ReadPreAuth } from './body.ts'
import type { SenderScheme } from './code-scheme.ts'
import { type FormField, formFields, onlyField } from './form-fields.ts'
import { formExcess, jsonExcess } from './read-limits.ts'
import type { Content } from './scheme.ts'

/** For rows that read the body to authenticate it. */
export interface PreAuthBody {
  readonly read: ReadPreAuth
  /** The members that it reads. Undefined if only its own function knows them. */
  selectionOf(scheme: SenderScheme, names: readonly string[]): Selection | undefined
  /** Decodes the fields of a form, or says why it cannot. */
  fieldsWithin(maxFields: number): (form: Uint8Array) => readonly FormField[] | string
}

const NO_BYTES = new Uint8Array(0)

/** Reads within limits, and of JSON only the members that the row names. */
const readPreAuth: ReadPreAuth = (kind, jsonField, read) => {
  const excess = excessOf(kind, jsonField)
  const jsonOf = typeof kind === 'object' ? kind.json : kind === 'form' ? undefined : asItIs
  return (body, { maxFields, selection }) => {
    const tooMuch = excess?.(body, maxFields)
    if (tooMuch !== undefined) return fail('body_malformed', tooMuch)
    if (selection === undefined || jsonOf === undefined) return read(body)
    const payload = readMembers(jsonOf(body) ?? NO_BYTES, selection)
    if (payload !== undefined) return { payload }
    return typeof kind === 'object' ? read(body) : fail('body_not_json', 'the body is not an object in JSON')
  }
}

const asItIs = (body: Uint8Array) => body

/** Names the limit that a body exceeds: see `BodyForm`. */
function excessOf(
  kind: Content,
  jsonField: string | undefined,
): ((body: Uint8Array, maxFields: number) => string | undefined) | undefined {
  if (typeof kind === 'object' && kind.excess) return kind.excess
  if (!isForm(kind)) return typeof kind === 'object' ? undefined : jsonExcess
  const inField = jsonField === undefined ? undefined : (form: Uint8Array) => onlyField(form, jsonField)
  const jsonOf = typeof kind === 'object' ? kind.json : inField
  return (body, maxFields) => formExcess(body, maxFields) ?? jsonExcess(jsonOf?.(body) ?? NO_BYTES, maxFields)
}

/** The members that are read before authentication. Undefined if only the scheme's own function knows them. */
function preAuthSelection(scheme: SenderScheme, names: readonly string[]): Selection | undefined {
  const { algorithm, signature, signs } = scheme
  if (typeof signs === 'function') return undefined
  const signed = names.filter((name) => name.startsWith('/'))
  const pointers = algorithm === 'code' ? (scheme.readsFirst ?? []) : [signature.member ?? [], signed].flat()
  const selection = selectionOf(pointers.map(pointerSteps))
  return selection === true || Object.keys(selection).length === 0 ? undefined : selection
}

export const PRE_AUTH_BODY: PreAuthBody = {
  read: readPreAuth,
  selectionOf: preAuthSelection,
  fieldsWithin: (maxFields) => (form) =>
    formExcess(form, maxFields) ?? formFields(form) ?? 'the body is not a form in UTF-8',
}
