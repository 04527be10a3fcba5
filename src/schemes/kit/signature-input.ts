/** A header field or a derived component that a signature covers (RFC 9421 2). */
export interface Component {
  readonly name: string
  /** The name and the parameters as signed, e.g. `"@query-param";name="id"`. */
  readonly identifier: string
  /** The parameters as signed, e.g. `;bs`. Empty if there are none. */
  readonly parameters: string
}

/** One signature of `Signature-Input` (RFC 9421 4.1). */
export interface SignatureInput {
  /** Undefined if a component is malformed or repeated. */
  readonly components: readonly Component[] | undefined
  /** The parameters that are integers or strings. */
  readonly parameters: ReadonlyMap<string, string>
  /** The member's value without its label, which is signed verbatim. */
  readonly text: string
}

const KEY = '[a-z*][a-z0-9_.*-]*'
const STRING = '"(?:[ !#-\\[\\]-~]|\\\\["\\\\])*"'
const VALUE = `(?:-?[0-9]{1,15}|${STRING}|\\?[01]|:[A-Za-z0-9+/=]*:|[A-Za-z*][A-Za-z0-9:/!#$%&'*+.^_\`|~-]*)`
const PARAMETER = `; *(${KEY})(?:=(${VALUE}))?`
const PARAMETERS = `(?:; *${KEY}(?:=${VALUE})?)*`
const ITEM = `${STRING}${PARAMETERS}`
// Runs of spaces are never adjacent, hence linear time.
const LIST = `\\( *((?:${ITEM}(?: +${ITEM})* *)?)\\)`
const BYTES = ':([A-Za-z0-9+/]*={0,2}):'
const NAME = /^@?[a-z0-9!#$%&'*+.^_`|~-]+$/
const COMPONENT = new RegExp(`(${STRING})(${PARAMETERS})`, 'g')
const MOST_MEMBERS = 10

/** Parses a dictionary (RFC 8941 3.2) into its members. Undefined if it is malformed or repeats a key. */
function readMembers(text: string, value: string): ReadonlyMap<string, RegExpExecArray> | undefined {
  const member = new RegExp(`(${KEY})=${value}(?:[ \\t]*,[ \\t]*(?=.)|$)`, 'y')
  const members = new Map<string, RegExpExecArray>()
  while (member.lastIndex < text.length) {
    const found = member.exec(text)
    if (!found || members.has(found[1] ?? '') || members.size === MOST_MEMBERS) return undefined
    members.set(found[1] ?? '', found)
  }
  return members
}

/** `sig1=:base64:, …`, as in `Signature` and `Content-Digest`. Returns the base64 by key. */
export function readByteSequences(text: string): ReadonlyMap<string, string> | undefined {
  const members = readMembers(text, BYTES)
  return members && new Map([...members].map(([key, found]) => [key, found[2] ?? '']))
}

/** `sig1=("@method" "content-digest");created=1;keyid="a", …`. */
export function readSignatureInput(text: string): ReadonlyMap<string, SignatureInput> | undefined {
  const members = readMembers(text, `(${LIST}(${PARAMETERS}))`)
  return (
    members &&
    new Map(
      [...members].map(([label, [, , all = '', items = '', parameters = '']]) => [
        label,
        { text: all, components: componentsOf(items), parameters: parametersOf(parameters) },
      ]),
    )
  )
}

function componentsOf(items: string): readonly Component[] | undefined {
  const components = [...items.matchAll(COMPONENT)].map(([identifier, quoted = '', parameters = '']) => ({
    name: quoted.slice(1, -1),
    identifier,
    parameters,
  }))
  const names = new Set(components.map(({ identifier }) => identifier))
  const areNamed = components.every(({ name }) => NAME.test(name))
  return areNamed && names.size === components.length ? components : undefined
}

function parametersOf(text: string): ReadonlyMap<string, string> {
  const found = [...text.matchAll(new RegExp(PARAMETER, 'g'))]
  return new Map(found.map(([, name = '', value = '']) => [name, value.replace(/^"(.*)"$/, '$1')]))
}

/** One of a delivery's signatures. */
export interface Signature {
  readonly input: SignatureInput
  /** In base64. */
  readonly text: string
}

/**
 * The delivery's signatures that cover all required components, which are identifiers such as `"@method"`. Or what is wrong with the
 * headers.
 */
export function signaturesIn(
  signature: string,
  signatureInput: string,
  required: readonly string[],
): readonly Signature[] | string {
  const signatures = readByteSequences(signature)
  if (signatures === undefined) return 'Signature is malformed'
  const inputs = readSignatureInput(signatureInput)
  if (inputs === undefined) return 'Signature-Input is malformed'
  if (![...inputs.keys()].some((label) => signatures.has(label))) {
    return 'Signature and Signature-Input have no label in common'
  }
  return [...inputs].flatMap(([label, input]) => {
    const text = signatures.get(label)
    const covered = new Set(input.components?.map(({ identifier }) => identifier))
    const coversAll = required.every((identifier) => covered.has(identifier))
    return text === undefined || !coversAll ? [] : [{ input, text }]
  })
}
