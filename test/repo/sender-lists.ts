import { readFileSync } from 'node:fs'
import { samplesOf } from '../../cli/signing/samples.ts'
import { bringsSecret } from '../../cli/signing/schemes.ts'
import { NOTES } from '../../docs/schemes/notes.ts'
import { mediaTypesOf } from '../../src/schemes/kit/body.ts'
import {
  coverageOf,
  dedupeOf,
  hasKeyPair,
  isAnythingSigned,
  signsUrl,
  unsignedMembers,
} from '../../src/schemes/kit/compile-scheme.ts'
import { JSON_FORM_OR_TEXT } from '../../src/schemes/kit/forms.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import type { SenderFacts } from '../../src/sender-facts.ts'
import { SENDERS } from '../management/senders.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'
import { needsCode } from './schemes-json.ts'
import { withMade } from './schemes-tables.ts'

export const SCHEMES: readonly SenderScheme[] = await Promise.all(
  SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme),
)

const shortOf = ({ sender }: SenderScheme) => sender.replace(/ \(.*/, '')

/** A sender as pages name it: without what stands in brackets, unless another scheme has the same name without it. */
export function nameOf(scheme: SenderScheme): string {
  const short = shortOf(scheme)
  const isAlone = SCHEMES.every((other) => other.name === scheme.name || shortOf(other) !== short)
  return isAlone ? short : scheme.sender
}

type Says = (scheme: SenderScheme) => unknown

const where = (is: Says) => SCHEMES.filter((scheme) => is(scheme))
const namesWhere = (is: Says) =>
  where(is)
    .map(nameOf)
    .toSorted((a, b) => a.localeCompare(b, 'en'))

/** In a cell: `A, B, C`. */
const cell = (is: Says) => namesWhere(is).join(', ')
/** In a sentence: `A, B and C`. */
const sentence = (is: Says, ...others: readonly string[]) => inWords([...namesWhere(is), ...others])
const inWords = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** How many rows a program without hookgate's code can read. */
const DATA_ROWS = `${SCHEMES.length - where(needsCode).length} of ${SCHEMES.length}`

const takesVerifyToken = (scheme: SenderScheme) =>
  scheme.algorithm !== 'code' && scheme.takes?.includes('verifyToken')
export const canSign = (scheme: SenderScheme): boolean =>
  scheme.algorithm !== 'code' || scheme.sign !== undefined
const keyIdOf = (scheme: SenderScheme) => (scheme.algorithm === 'code' ? scheme.keyIdOption : undefined)
const isWeakBy =
  (kind: NonNullable<SenderFacts['weakBy']>): Says =>
  ({ facts }) =>
    facts?.weakBy === kind

/** Bodies without a signed time whose senders document IDs and times in them, or a nonce: no two genuine ones are the same. */
export const NEVER_ALIKE: ReadonlySet<string> = new Set(
  `adyen adyen-platform airtable asana auth0 braintree cal-com cloudevents deepgram docusign fastspring fireflies jira klaviyo line
  mailchimp mandrill meta microsoft-teams monday netlify pandadoc plivo postmark razorpay todoist wise x xero`.split(
    /\s+/,
  ),
)
export const isTimeless = (scheme: SenderScheme): boolean =>
  /^signed-bytes(?:-per-topic)?$/.test(dedupeOf(scheme)) && scheme.timestamp?.of !== 'attempt'
const mayBeAlike = (scheme: SenderScheme) => isTimeless(scheme) && !NEVER_ALIKE.has(scheme.name)

/** What browsers send without asking first, and what a framework that refuses forms of other sites therefore refuses. */
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
const sendsForms: Says = ({ content = ['json'] }) =>
  content.includes(JSON_FORM_OR_TEXT) ||
  content
    .flatMap((kind) =>
      typeof kind === 'object' ? [kind.contentType, ...kind.mediaTypes] : mediaTypesOf(kind),
    )
    .some((type) => FORMS.some((form) => type.startsWith(form)))

/** `60; 30: Amazon SNS, Sanity; 2: Supabase`: the default, then the others by size. */
function secondsOf(usual: number, of: (scheme: SenderScheme) => number | undefined): string {
  const others = [...new Set(SCHEMES.map(of))].filter((seconds) => seconds !== undefined && seconds !== usual)
  const groups = others.toSorted((a = 0, b = 0) => b - a)
  return [usual, ...groups.map((seconds) => `${seconds}: ${cell((scheme) => of(scheme) === seconds)}`)].join(
    '; ',
  )
}

/** Those that a sentence names, and the standards. */
const NAMED = [
  'stripe',
  'github',
  'slack',
  'shopify',
  'standard-webhooks',
  'rfc9421',
  'cloudevents',
  'gateway',
]
/** How many more there are than a sentence names, in whole tens. */
const OTHERS = Math.floor((SCHEME_NAMES.filter((name) => !NAMED.includes(name)).length - 1) / 10) * 10

/** Whose management API shows an endpoint's secret. */
const SHOW_SECRETS = Object.keys(SENDERS)
  .filter((name) => SENDERS[name]?.api.endpoints.secret)
  .toSorted((a, b) => a.localeCompare(b, 'en'))

/** A list or a number on a page, made of the rows. */
interface Made {
  readonly page: string
  readonly text: string
  /** The texts around it, for a page that cannot have marks. Defaults to the marks of its name. */
  readonly between?: readonly [before: string, after: string]
}

const moreThan = (page: string, after = ' other senders'): Made => ({
  page,
  text: `${OTHERS}`,
  between: ['more than ', after],
})

/** By the name in the marks. */
const LISTS: { readonly [name: string]: Made } = {
  tokens: {
    page: 'docs/security-model.md',
    text: sentence(
      (scheme) => coverageOf(scheme) === 'token',
      ...where(({ facts }) => facts?.tokenWhen).map(
        (scheme) => `${nameOf(scheme)} ${scheme.facts?.tokenWhen}`,
      ),
    ),
  },
  sha1: {
    page: 'docs/security-model.md',
    text: sentence((scheme) => scheme.algorithm === 'hmac-sha1' || isWeakBy('hmac-sha1')(scheme)),
  },
  rsaSha1: { page: 'docs/security-model.md', text: sentence(isWeakBy('rsa-sha1')) },
  unsignedTypes: {
    page: 'docs/security-model.md',
    text: sentence((scheme) => isAnythingSigned(scheme) && unsignedMembers(scheme)?.includes('type')),
  },
  plainHashes: { page: 'docs/security-model.md', text: sentence(isWeakBy('plain-hash')) },
  values: { page: 'docs/security-model.md', text: sentence((scheme) => coverageOf(scheme) === 'values') },
  checksums: { page: 'docs/security-model.md', text: sentence(isWeakBy('crc-32')) },
  alike: { page: 'docs/security-model.md', text: sentence((scheme) => dedupeOf(scheme) === 'off') },
  topics: { page: 'docs/security-model.md', text: sentence(({ topics }) => topics) },
  keyNames: { page: 'SECURITY.md', text: sentence(({ facts }) => facts?.keyHost === 'by name') },
  perTopic: {
    page: 'docs/duplicates.md',
    text: cell((scheme) => dedupeOf(scheme) === 'signed-bytes-per-topic'),
  },
  off: { page: 'docs/duplicates.md', text: cell((scheme) => dedupeOf(scheme) === 'off') },
  unsignedTopics: { page: 'docs/duplicates.md', text: sentence(({ topics }) => topics) },
  timeless: { page: 'docs/duplicates.md', text: cell(mayBeAlike) },
  timelessWithId: {
    page: 'docs/duplicates.md',
    text: cell((scheme) => mayBeAlike(scheme) && scheme.eventId),
  },
  lease: { page: 'docs/options.md', text: secondsOf(60, ({ leaseSeconds }) => leaseSeconds) },
  maxRun: { page: 'docs/options.md', text: secondsOf(900, ({ maxRunSeconds }) => maxRunSeconds) },
  withPage: { page: 'docs/schemes.md', text: `${Object.keys(NOTES).length}` },
  dataRows: { page: 'docs/schemes.md', text: DATA_ROWS },
  codeRows: { page: 'docs/schemes.md', text: sentence(needsCode) },
  readerRows: { page: 'languages/python/README.md', text: DATA_ROWS },
  readerCodeRows: {
    page: 'languages/python/README.md',
    text: inWords(where(needsCode).map(({ name }) => `\`${name}\``)),
  },
  secretless: {
    page: 'docs/schemes.md',
    text: where(({ secretName }) => secretName.startsWith('none; pass '))
      .map((scheme) => `${nameOf(scheme)} (${scheme.secretName.replace('none; pass ', '')})`)
      .join(', '),
  },
  keyIdOptions: {
    page: 'docs/schemes.md',
    text: inWords(where(keyIdOf).map((scheme) => `\`${scheme.name}\` (\`${keyIdOf(scheme)}\`)`)),
  },
  handshakeSecrets: { page: 'docs/schemes.md', text: sentence(bringsSecret) },
  url: { page: 'docs/schemes.md', text: sentence(signsUrl, 'RFC 9421') },
  keyIds: { page: 'docs/cli.md', text: cell(keyIdOf) },
  verifyTokens: { page: 'docs/cli.md', text: cell(takesVerifyToken) },
  secretsThatArrive: { page: 'docs/cli.md', text: cell(bringsSecret) },
  keyPairs: { page: 'docs/cli.md', text: cell((scheme) => hasKeyPair(scheme) && canSign(scheme)) },
  onlyVerified: { page: 'docs/cli.md', text: cell((scheme) => hasKeyPair(scheme) && !canSign(scheme)) },
  noSecret: { page: 'docs/cli.md', text: cell((scheme) => !hasKeyPair(scheme) && !canSign(scheme)) },
  samples: { page: 'docs/cli.md', text: sentence(({ name }) => samplesOf(name)) },
  keyIdSenders: { page: 'docs/sender.md', text: sentence(keyIdOf) },
  ownOptions: { page: 'docs/tunnels.md', text: sentence(keyIdOf) },
  keyHosts: { page: 'docs/tunnels.md', text: sentence(({ facts }) => facts?.keyHost) },
  verifyOnly: {
    page: 'docs/tunnels.md',
    text: sentence((scheme) => !canSign(scheme) && scheme.facts?.keyHost === undefined),
  },
  shownSecrets: { page: 'docs/recover.md', text: inWords(SHOW_SECRETS) },
  forms: { page: 'docs/frameworks/sveltekit-nuxt-astro.md', text: sentence(sendsForms) },
  rowsInReadme: { page: 'README.md', text: DATA_ROWS, between: ['sign. [', ' work in Python]'] },
  inReadme: moreThan('README.md', ' other\nsenders'),
  inPackage: moreThan('package.json'),
  onFirstPage: moreThan('docs/site/index.md'),
  inChangelog: {
    page: 'CHANGELOG.md',
    text: `${SCHEME_NAMES.length}`,
    between: ['**Senders.** ', ' schemes in'],
  },
}

/** The pages that have such a list. */
export const PAGES: readonly string[] = [...new Set(Object.values(LISTS).map(({ page }) => page))]

/** The page with its lists as the rows say. @throws Error if one has no place on the page, or two. */
export function withLists(page: string): string {
  return Object.entries(LISTS)
    .filter(([, made]) => made.page === page)
    .reduce((text, [name, { text: made, between }]) => withMade(text, name, made, between), read(page))
}

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
