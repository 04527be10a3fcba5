import type { FormField } from '../body.ts'
import { byteText, encodeUtf8, joined } from '../lib/bytes.ts'
import type { SignedBytes } from '../scheme.ts'
import { type SchemeFactory, type SecretOptions, schemeOf, type UrlOptions } from './kit/define-scheme.ts'
import { FORMS } from './kit/forms.ts'
import { PRE_AUTH_BODY } from './kit/pre-auth-body.ts'
import { signedRequest } from './kit/signed-text.ts'
import { QUERY_NOT_DIVIDED, signedBytesFor, urlParts, urlReader } from './kit/signed-url.ts'

const NONCE = 'x-plivo-signature-v3-nonce'
/** Without a point, which divides it from the fields. */
const ONE_NONCE = /^[\w-]{1,128}$/

type Pair = readonly [name: string, value: string]

/** By name, then by value, as JavaScript sorts. */
const sorted = (pairs: readonly Pair[]): readonly Pair[] =>
  pairs.toSorted(([left, leftValue], [right, rightValue]) =>
    left === right ? compare(leftValue, rightValue) : compare(left, right),
  )

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

/** Concatenates names and values, by name, then by value. Values stay bytes: as strings they would take several times their size. */
function signedFields(fields: readonly FormField[]): Uint8Array {
  const ordered = fields.toSorted((left, right) =>
    left.name === right.name
      ? compare(byteText(left.value), byteText(right.value))
      : compare(left.name, right.name),
  )
  const parts = ordered.flatMap(({ name, value }) => [encodeUtf8(name), value])
  return joined(parts)
}

function signedTo(publicUrl: string): SignedBytes {
  const urlOf = urlReader(publicUrl)
  const { base, query } = urlParts(publicUrl)
  const parameters = sorted([...new URLSearchParams(query)]).map((pair) => pair.join('='))
  return ({ fields, header, refuse, ...request }) => {
    const url = urlOf(request)
    if ('problem' in url) return refuse(url.problem)
    if (url.isOpen) return refuse(QUERY_NOT_DIVIDED)
    const nonce = header(NONCE) ?? ''
    if (!ONE_NONCE.test(nonce))
      return refuse(`${NONCE} is missing, repeated, or has other characters than letters and digits`)
    const form = fields()
    if (form === undefined) return undefined
    const isEmpty = form.length === 0
    const mark = isEmpty && parameters.length === 0 ? '' : '?'
    const end = isEmpty || parameters.length === 0 ? '' : '.'
    const before = byteText(encodeUtf8(`${base}${mark}${parameters.join('&')}${end}`))
    return [{ before, body: signedFields(form), after: `.${nonce}` }]
  }
}

/**
 * Verifies voice callbacks from Plivo by their `X-Plivo-Signature-V3` header, or `X-Plivo-Signature-Ma-V3`, which is always signed
 * with the main account's token. The secret is the Auth Token, on the console's first page. Pass the callback's URL as
 * `publicUrl`, with its query and without its fragment. The signature covers the URL, every field of the form and a nonce. Set the
 * callback's method to POST: a GET is refused, because its text could be that of a POST too. Messages have another signature,
 * V2, which covers the URL alone and is not verified.
 *
 * There is no ID, so the signed values are claimed. Read in November 2026: the
 * [documentation](https://docs.plivo.com/docs/voice/xml/request/validation), and Plivo's SDK for Node.js.
 *
 * @example
 * ```ts
 * const auth = plivo({
 *   secrets: process.env.PLIVO_AUTH_TOKEN,
 *   publicUrl: 'https://example.com/hooks',
 * })
 * ```
 */
export const plivo: SchemeFactory<SecretOptions & UrlOptions, '/Event'> = schemeOf(
  {
    name: 'plivo',
    sender: 'Plivo',
    secretName: 'Auth Token of the account',
    secretMadeBy: 'sender',
    algorithm: 'hmac-sha256',
    key: 'text',
    signature: {
      headers: ['x-plivo-signature-v3', 'x-plivo-signature-ma-v3'],
      separator: ',',
      spelling: 'base64',
    },
    signs: /* @__PURE__ */ signedBytesFor(signedTo),
    signAsHeaders: { [NONCE]: '05429567804466091622' },
    takes: ['publicUrl'],
    covers: 'values',
    eventType: { member: '/Event' },
    content: ['form'],
    maxBodyBytes: 262_144,
    facts: {
      unsigned: false,
      otherVersions: {
        'x-plivo-signature-v2': { is: 'the signature of messages, which covers the URL alone' },
      },
      otherSecrets: 'each account and subaccount has its own, and a subaccount signs V3 with its own',
    },
    limits:
      'A GET is refused, so set the callback’s method to POST. The time and the other headers are not signed. A form’s names and values are joined without a separator: Digits=1 and Digit=s1 have the same signature.',
  },
  { preAuth: PRE_AUTH_BODY, forms: FORMS, requests: signedRequest },
)
