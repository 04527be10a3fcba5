import { OTHER_NAMES } from '../../docs/schemes/other-names.ts'
import type { Retries } from '../../docs/schemes/retries.ts'
import type { Source } from '../../docs/schemes/sources.ts'
import { WITHOUT_SCHEME } from '../../docs/schemes/without-scheme.ts'
import { coverageOf, dedupeOf } from '../../src/schemes/kit/compile-scheme.ts'
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
  signedUrl: 'left out',
  topics: 'left out',
  takes: 'left out',
  claimedId: 'left out',
  bodiesRepeat: 'left out',
  secretMadeBy: 'left out',
  maxFields: 'left out',
  retentionSeconds: 'left out',
  leaseSeconds: 'left out',
  maxRunSeconds: 'left out',
  signAsHeaders: 'left out',
  readsFirst: 'left out',
  keyIdOption: 'left out',
  sign: 'left out',
}

const PROMISE =
  'Made from the rows of one version of hookgate by `npm run docs:schemes`. It carries no promise beyond that version: any release may change it.'

/** docs/schemes/schemes.json: one entry for each scheme, by name. */
export function schemesJson(published: readonly Published[]): string {
  const file = {
    $schema: './schemes.schema.json',
    $comment: PROMISE,
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
    ...Object.fromEntries(copied),
    ...(algorithm === 'code' ? {} : { algorithm }),
    ...(typeof signs === 'string' && algorithm !== 'token' ? { signs } : {}),
    covers: coverageOf(scheme),
    notCovered: limits,
    dedupe: dedupeOf(scheme),
    methods,
    content: content.flatMap(mediaTypesIn),
    handshake: handshake && { signed: handshake.signed },
    unsignedWhen: facts.unsigned,
    retries,
    documentation: source,
  }
}

/** Whether data alone cannot say how a delivery is verified. */
function needsCode(scheme: SenderScheme): boolean {
  if (scheme.algorithm === 'code' || typeof scheme.signs !== 'string') return true
  if (scheme.facts?.tokenWhen !== undefined) return true // then another row verifies it
  const readsMembers = scheme.signature.member !== undefined || scheme.signs.includes('{/')
  const isJson = scheme.content?.every((kind) => kind === 'json') ?? true
  return scheme.signedUrl !== undefined || (readsMembers && !isJson)
}

const MEDIA_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  'json-as-text': ['text/plain'],
}

const mediaTypesIn = (kind: Content): readonly string[] =>
  typeof kind === 'string' ? MEDIA_TYPES[kind] : kind.mediaTypes
