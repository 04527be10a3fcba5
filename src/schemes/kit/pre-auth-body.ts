import type { BodyFormat } from '../../body.ts'
import type { SenderScheme } from '../../code-scheme.ts'
import { byteText, encodeUtf8 } from '../../lib/bytes.ts'
import { memberAt, pointerSteps, signedMember } from '../../lib/json.ts'
import { rawText, readMembers, type Selection, selectionOf } from '../../lib/json-members.ts'
import { fail } from '../../reason.ts'
import type { Content } from '../../scheme.ts'
import { isForm, type ReadPreAuth } from './body.ts'
import { formFields, onlyField } from './form-fields.ts'
import { formExcess, jsonExcess, sizeExcess } from './read-limits.ts'
import { LONGEST_VALUE, type SignatureElsewhere, tooLong } from './signatures.ts'
import type { MemberText } from './signed-text.ts'

/** For rows that read the body to authenticate it. */
export interface PreAuthBody {
  readonly read: ReadPreAuth
  /** The members that it reads. Undefined if only its own function knows them. */
  selectionOf(scheme: SenderScheme, names: readonly string[]): Selection | undefined
  /** Reads the fields of a form, and the string members of JSON. */
  within(maxFields: number): Pick<BodyFormat, 'fieldsOf' | 'memberOf'>
  /** Finds the signature in a member. */
  readonly signatureIn: SignatureElsewhere
  /** Reads a signed member, one character a byte. */
  readonly memberText: MemberText
}

const NO_BYTES = new Uint8Array(0)

/** Bodies that have no more than so many fields: each is counted once, however often it is read. */
const counted = /* @__PURE__ */ new WeakMap<Uint8Array, number>()

/** Names the limit that a body of JSON exceeds. */
function jsonExcessOf(json: Uint8Array, maxFields: number): string | undefined {
  if ((counted.get(json) ?? Number.POSITIVE_INFINITY) <= maxFields) return undefined
  const excess = sizeExcess(json) ?? jsonExcess(json, maxFields)
  if (excess === undefined) counted.set(json, maxFields)
  return excess
}

/** Reads within limits, and of JSON only the members that the row names. */
const readPreAuth: ReadPreAuth = (kind, jsonField, read) => {
  const excess = excessOf(kind, jsonField)
  const jsonOf = typeof kind === 'object' ? kind.json : kind === 'form' ? undefined : asItIs
  return (body, { maxFields, selection }) => {
    const tooMuch = sizeExcess(body) ?? excess?.(body, maxFields)
    if (tooMuch !== undefined) return fail('body_malformed', tooMuch)
    if (selection === undefined || jsonOf === undefined) return read(body)
    const json = jsonOf(body)
    const payload = json && readMembers(json, selection)
    if (payload !== undefined) return { payload }
    if (typeof kind !== 'object') return fail('body_not_json', 'the body is not an object in JSON')
    return json === undefined
      ? fail('body_malformed', `the body is not ${kind.is ?? kind.mediaTypes[0]}`)
      : fail('body_not_json', 'the body is not a form whose field holds JSON')
  }
}

const asItIs = (body: Uint8Array) => body

/** Names the limit that a body exceeds: see `BodyForm`. */
function excessOf(
  kind: Content,
  jsonField: string | undefined,
): ((body: Uint8Array, maxFields: number) => string | undefined) | undefined {
  if (typeof kind === 'object' && kind.excess) return kind.excess
  if (!isForm(kind)) return typeof kind === 'object' ? undefined : jsonExcessOf
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

const signatureIn: SignatureElsewhere = ({ member }) => {
  if (member === undefined) return undefined
  const steps = pointerSteps(member)
  return (evidence) => {
    const signature = memberAt(evidence.parsed(), steps)
    if (typeof signature !== 'string' || signature === '') return fail('auth_missing', `no ${member}`)
    return signature.length > LONGEST_VALUE ? tooLong(member) : [signature]
  }
}

const memberText: MemberText = (pointer) => {
  const steps = pointerSteps(pointer)
  return (values) => {
    const text = signedMember(values.parsed(), steps)
    if (typeof text === 'object') return values.refuse?.(text.problem)
    return text === undefined ? undefined : byteText(encodeUtf8(text))
  }
}

export const PRE_AUTH_BODY: PreAuthBody = {
  read: readPreAuth,
  selectionOf: preAuthSelection,
  within: (maxFields) => ({
    fieldsOf: (form) =>
      sizeExcess(form) ??
      formExcess(form, maxFields) ??
      formFields(form) ??
      'the body is not a form in UTF-8',
    memberOf: (json, name) => jsonExcessOf(json, maxFields) ?? rawText(json, name),
  }),
  signatureIn,
  memberText,
}
