import { pointerSteps } from '../../lib/json.ts'
import { readMembers, type Wanted, wantedOf } from '../../lib/json-members.ts'
import { fail } from '../../reason.ts'
import type { ReadEarly } from './body.ts'
import type { SenderScheme } from './code-scheme.ts'
import { type FormField, formFields, onlyField } from './form-fields.ts'
import { formExcess, jsonExcess } from './read-limits.ts'
import type { Content } from './scheme.ts'

/** What a row needs that reads the body to authenticate it. */
export interface EarlyBody {
  readonly read: ReadEarly
  /** The members that it reads. Undefined if only its own function knows them. */
  wantedOf(scheme: SenderScheme, names: readonly string[]): Wanted | undefined
  /** Decodes the fields of a form, or says why it cannot. */
  fieldsWithin(maxFields: number): (form: Uint8Array) => readonly FormField[] | string
}

const NO_BYTES = new Uint8Array(0)

/** Reads within limits, and of JSON only the members that the row names. */
const readEarly: ReadEarly = (kind, jsonField, read) => {
  const excess = excessOf(kind, jsonField)
  const jsonOf = typeof kind === 'object' ? kind.json : kind === 'form' ? undefined : asItIs
  return (body, { maxFields, wanted }) => {
    const tooMuch = excess?.(body, maxFields)
    if (tooMuch !== undefined) return fail('body_malformed', tooMuch)
    if (wanted === undefined || jsonOf === undefined) return read(body)
    const payload = readMembers(jsonOf(body) ?? NO_BYTES, wanted)
    if (payload !== undefined) return { payload }
    return typeof kind === 'object' ? read(body) : fail('body_not_json', 'the body is not an object in JSON')
  }
}

const asItIs = (body: Uint8Array) => body

/** Finds what there is too much of in a body: see `BodyForm`. */
function excessOf(
  kind: Content,
  jsonField: string | undefined,
): ((body: Uint8Array, maxFields: number) => string | undefined) | undefined {
  if (typeof kind === 'object') return kind.excess
  if (kind !== 'form') return jsonExcess
  if (jsonField === undefined) return formExcess
  return (body, maxFields) =>
    formExcess(body, maxFields) ?? jsonExcess(onlyField(body, jsonField) ?? NO_BYTES, maxFields)
}

/** The members that are read before authentication. Undefined if only the scheme's own function knows them. */
function wantedEarly(scheme: SenderScheme, names: readonly string[]): Wanted | undefined {
  const { algorithm, signature, signs } = scheme
  if (typeof signs === 'function') return undefined
  const signed = names.filter((name) => name.startsWith('/'))
  const pointers = algorithm === 'code' ? (scheme.readsFirst ?? []) : [signature.member ?? [], signed].flat()
  const wanted = wantedOf(pointers.map(pointerSteps))
  return wanted === true || Object.keys(wanted).length === 0 ? undefined : wanted
}

export const EARLY_BODY: EarlyBody = {
  read: readEarly,
  wantedOf: wantedEarly,
  fieldsWithin: (maxFields) => (form) =>
    formExcess(form, maxFields) ?? formFields(form) ?? 'the body is not a form in UTF-8',
}
