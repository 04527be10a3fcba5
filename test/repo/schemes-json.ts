import { CLAIMED_IDS } from '../../docs/schemes/claimed-ids.ts'
import { CODE_ROWS } from '../../docs/schemes/code-rows.ts'
import { HANDSHAKES } from '../../docs/schemes/handshakes.ts'
import { OTHER_NAMES } from '../../docs/schemes/other-names.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import type { Source } from '../../docs/schemes/sources.ts'
import { WITHOUT_SCHEME } from '../../docs/schemes/without-scheme.ts'
import { RETENTION_SECONDS, UNTIMED_RETENTION_SECONDS } from '../../src/limits.ts'
import { mediaTypesOf } from '../../src/schemes/kit/body.ts'
import { ANY_BODY, EMPTY_OR_ANY, JSON_OR_LINES, XML } from '../../src/schemes/kit/body-formats.ts'
import { coverageOf, dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
import { JSON_FORM_OR_TEXT } from '../../src/schemes/kit/forms.ts'
import type { CodeScheme, Content, Scheme, SenderScheme } from '../../src/schemes/kit/index.ts'

/** What is published of a scheme. */
export interface Published {
  readonly scheme: SenderScheme
  readonly retries: Retries
  readonly source: Source
}

type Members = keyof Scheme | keyof CodeScheme

/**
 * What becomes of each member of a row. Those that are copied mean in the file what src/scheme.ts says of them; the schema
 * says it again. Those that are made are in `entryOf`, perhaps under another name. A new member fails to compile until it is here.
 */
const MEMBERS: { readonly [member in Members]-?: 'copied' | 'made' | 'left out' } = {
  name: 'copied',
  sender: 'copied',
  secretName: 'copied',
  secretPrefix: 'copied',
  algorithm: 'made',
  key: 'copied',
  signature: 'copied',
  signs: 'made',
  otherHeaders: 'copied',
  publicKey: 'copied',
  timestamp: 'copied',
  eventId: 'copied',
  eventType: 'copied',
  fixedHeaders: 'copied',
  methods: 'made',
  content: 'made',
  maxBodyBytes: 'copied',
  covers: 'made',
  dedupe: 'made',
  limits: 'made',
  facts: 'made',
  handshake: 'made',
  jsonField: 'copied',
  hasKeyPair: 'left out',
  topics: 'copied',
  claimedId: 'made',
  bodiesRepeat: 'copied',
  maxFields: 'copied',
  retentionSeconds: 'made',
  signedUrl: 'left out',
  takes: 'left out',
  secretMadeBy: 'left out',
  leaseSeconds: 'left out',
  maxRunSeconds: 'left out',
  signAsHeaders: 'left out',
  readsFirst: 'left out',
  keyIdOption: 'left out',
  sign: 'left out',
}

const PROMISE =
  'Made from the rows of hookgate by `npm run docs:schemes`. A member or value that changes how a delivery is verified comes with a new formatVersion, or in a row that readers of this one refuse: see schemes.schema.json.'

/** A reader of another version refuses the file. */
const FORMAT_VERSION = 1

/** docs/schemes/schemes.json: one entry for each scheme, by name. */
export function schemesJson(published: readonly Published[]): string {
  const file = {
    $schema: './schemes.schema.json',
    $comment: PROMISE,
    formatVersion: FORMAT_VERSION,
    schemes: published.toSorted((a, b) => (a.scheme.name < b.scheme.name ? -1 : 1)).map(entryOf),
    withoutScheme: WITHOUT_SCHEME.map(({ url, read, ...sender }) => ({
      ...sender,
      documentation: { url, read },
    })),
  }
  return `${JSON.stringify(file, null, 1)}\n`
}

function entryOf({ scheme, retries, source }: Published): object {
  const { algorithm, content = ['json'], facts = {}, handshake, limits, methods = ['POST'], signs } = scheme
  const copied = Object.entries(scheme).filter(
    ([member]) => Object.hasOwn(MEMBERS, member) && Reflect.get(MEMBERS, member) === 'copied',
  )
  return {
    name: scheme.name,
    sender: scheme.sender,
    otherNames: OTHER_NAMES[scheme.name],
    code: needsCode(scheme),
    about: needsCode(scheme) ? aboutOf(scheme) : undefined,
    ...Object.fromEntries(copied),
    ...(algorithm === 'code' ? {} : { algorithm }),
    ...(typeof signs === 'string' && algorithm !== 'token' ? { signs } : {}),
    covers: coverageOf(scheme),
    notCovered: limits,
    dedupe: dedupeOf(scheme),
    claimedId: scheme.claimedId && madeFor(CLAIMED_IDS, scheme),
    retentionSeconds: retentionOf(scheme),
    methods,
    content: content.map((kind) => ({ types: mediaTypesOf(kind), ...readsOf(kind) })),
    handshake: handshake && { signed: handshake.signed, ...handshakeOf(scheme) },
    unsignedWhen: facts.unsigned,
    retries,
    documentation: source,
  }
}

/** Whether data alone cannot say how a delivery is verified. */
export function needsCode(scheme: SenderScheme): boolean {
  if (scheme.algorithm === 'code' || typeof scheme.signs !== 'string') return true
  if (scheme.facts?.tokenWhen !== undefined) return true // then another row verifies it
  const readsMembers = scheme.signature.member !== undefined || scheme.signs.includes('{/')
  const isJson = scheme.content?.every((kind) => kind === 'json') ?? true
  return scheme.signedUrl !== undefined || (readsMembers && !isJson)
}

/** @throws Error for a row that the table lacks. */
function madeFor<Value>(table: { readonly [scheme: string]: Value }, { name }: SenderScheme): Value {
  const found = table[name]
  if (found === undefined)
    throw new Error(`add '${name}' to code-rows.ts, claimed-ids.ts or handshakes.ts of docs/schemes`)
  return found
}

const SOURCES = 'https://github.com/hookgate/hookgate/blob/main/src/schemes'

const aboutOf = (scheme: SenderScheme) => ({
  verifies: madeFor(CODE_ROWS, scheme),
  source: `${SOURCES}/${scheme.name}.ts`,
})

const handshakeOf = (scheme: SenderScheme) =>
  scheme.algorithm === 'code' ? { code: 'See about.' } : madeFor(HANDSHAKES, scheme)

/** As `limitsOf` of src/listener.ts. A window that depends on options is not published. */
function retentionOf({ algorithm, timestamp, ...scheme }: SenderScheme): number | undefined {
  if (algorithm === 'code' && 'retentionSeconds' in scheme) return undefined
  const isTimed = timestamp?.of === 'attempt' && timestamp.toleranceSeconds !== undefined
  return isTimed ? RETENTION_SECONDS : UNTIMED_RETENTION_SECONDS
}

/** How a body is read, as the schema describes it. */
function readsOf(kind: Content): { readonly reads: string; readonly field?: string } {
  if (typeof kind === 'string') return { reads: kind }
  const reads = KINDS.find(([each]) => each.read === kind.read)?.[1]
  if (reads !== undefined) return { reads }
  const [, field] = /^a form whose only field is (\w+)$/.exec(kind.is ?? '') ?? []
  if (field !== undefined) return { reads: 'json-in-form', field }
  return { reads: kind.is === 'a JSON object' ? 'json-object' : 'code' }
}

const KINDS = [
  [ANY_BODY, 'any'],
  [EMPTY_OR_ANY, 'empty-or-any'],
  [JSON_FORM_OR_TEXT, 'json-form-or-text'],
  [JSON_OR_LINES, 'json-or-lines'],
  [XML, 'xml'],
] as const
