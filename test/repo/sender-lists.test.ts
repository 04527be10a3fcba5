import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { NOTES } from '../../docs/schemes/notes.ts'
import { dedupeOf, hasKeyPair, signsUrl } from '../../src/schemes/kit/compile-scheme.ts'
import type { SenderScheme } from '../../src/schemes/kit/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const schemes = await Promise.all(SCHEME_NAMES.map(async (name) => (await schemeFactory(name)).scheme))

/** The names of a sentence or a cell: `A, B and C`. */
const listed = (text = '') => text.split(/, | and /).toSorted()
/** Senders as pages name them: without what stands in brackets. */
const sendersOf = (found: readonly SenderScheme[]) =>
  found.map(({ sender }) => sender.replace(/ \(.*/, '')).toSorted()
/** The first cell of the row that has this text. */
const cellBefore = (page: string, text: string) =>
  read(page)
    .split('\n')
    .find((line) => line.includes(text))
    ?.split(' | ')[0]
    ?.replace('| ', '')

/** Bodies without a signed time whose senders document IDs and times in them, or a nonce: no two genuine ones are the same. */
const NEVER_ALIKE = new Set([
  ...[
    'adyen',
    'adyen-platform',
    'airtable',
    'asana',
    'auth0',
    'braintree',
    'cal-com',
    'cloudevents',
    'deepgram',
    'docusign',
  ],
  ...[
    'fastspring',
    'fireflies',
    'jira',
    'line',
    'mailchimp',
    'meta',
    'microsoft-teams',
    'monday',
    'netlify',
    'pandadoc',
  ],
  ...['plivo', 'postmark', 'razorpay', 'x', 'xero'],
])

const canSign = (scheme: SenderScheme) => scheme.algorithm !== 'code' || scheme.sign !== undefined

describe('the senders that pages list', () => {
  it('docs/schemes.md lists the senders that sign the URL', () => {
    const [, says] = /\n(.+) sign the URL that they call\./.exec(read('docs/schemes.md')) ?? []
    const signing = sendersOf(schemes.filter((scheme) => signsUrl(scheme)))
    expect(listed(says)).toEqual([...signing, 'RFC 9421'].toSorted())
  })

  it('docs/schemes.md says what to pass for each sender that shares no secret', () => {
    const [, says = ''] =
      /\n- Six senders share no secret with you: ([\s\S]+?)\. /.exec(read('docs/schemes.md')) ?? []
    const named = [...says.matchAll(/to\s+`(\w+)`/g)].map(([, name]) => name).toSorted()
    const secretless = schemes.filter(({ secretName }) => secretName.startsWith('none'))
    const factories = secretless.map(({ name }) => name.replaceAll(/-(.)/g, (_, at) => at.toUpperCase()))
    expect(named).toEqual(factories.toSorted())
    expect(named).toHaveLength(6)
  })

  it('docs/cli.md lists the senders that sign only for themselves, and those with a key pair', () => {
    const row = (text: string) => listed(cellBefore('docs/cli.md', text))
    const pairs = schemes.filter((scheme) => hasKeyPair(scheme))
    const others = schemes.filter((scheme) => !hasKeyPair(scheme))
    expect(row('share no secret')).toEqual(sendersOf(others.filter((scheme) => !canSign(scheme))))
    expect(row("the sender's public key")).toEqual(sendersOf(pairs.filter((scheme) => canSign(scheme))))
    expect(row("the app's public key")).toEqual(sendersOf(pairs.filter((scheme) => !canSign(scheme))))
  })

  it('docs/duplicates.md lists the senders whose genuine bodies may lack a time, and each of the others was judged', () => {
    const row = /\| a body that may lack a time \| (.*?) \|/.exec(read('docs/duplicates.md'))?.[1]
    const timeless = schemes.filter(
      (scheme) =>
        dedupeOf(scheme).match(/^signed-bytes(?:-per-topic)?$/) && scheme.timestamp?.of !== 'attempt',
    )
    const alike = timeless.filter(({ name }) => !NEVER_ALIKE.has(name))
    expect(listed(row)).toEqual(sendersOf(alike))
    expect(timeless.filter(({ name }) => NEVER_ALIKE.has(name))).toHaveLength(NEVER_ALIKE.size)
  })
})

describe('how many senders there are', () => {
  /** Those that the sentences name, and the standards. */
  const NAMED = ['stripe', 'github', 'slack', 'shopify', 'standard-webhooks', 'rfc9421', 'cloudevents']
  const others = SCHEME_NAMES.filter((name) => !NAMED.includes(name)).length

  it.each(['README.md', 'package.json', 'docs/site/index.md'])(
    '%s counts the other senders, in whole tens',
    (page) => {
      const [, number] = /more than (\d+) other\s+senders/.exec(read(page)) ?? []
      expect(Number(number)).toBe(Math.floor((others - 1) / 10) * 10)
    },
  )

  it('CHANGELOG.md counts the schemes, and docs/schemes.md the senders with a page', () => {
    expect(read('CHANGELOG.md')).toContain(` ${SCHEME_NAMES.length} schemes in `)
    expect(read('docs/schemes.md')).toContain(` ${Object.keys(NOTES).length} senders have a page with a`)
  })
})
