import type { Authentication } from '../auth/authenticator.ts'
import type { Evidence } from '../auth/evidence.ts'
import { ListenerConfigError } from '../errors.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { type Json, memberAt, pointerSteps, signedMember } from '../lib/json.ts'
import { type Failure, fail, fitsNone, mismatch, unsignedBecause } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { macKeys, signerOf } from './kit/keys.ts'

const SIGNED = [
  '/pspReference',
  '/originalReference',
  '/merchantAccountCode',
  '/merchantReference',
  '/amount/value',
  '/amount/currency',
  '/eventCode',
  '/success',
]
const PLACES: readonly (readonly string[])[] = /* @__PURE__ */ SIGNED.map(pointerSteps)
const MOST_ITEMS = 64

/** The text that Adyen signs of an item, in which an absent member is empty. */
function signedText(item: unknown): string | { readonly problem: string } {
  const texts: string[] = []
  for (const steps of PLACES) {
    const text = signedMember(item, steps) ?? ''
    if (typeof text === 'object') return text
    texts.push(text)
  }
  return texts.join(':')
}

/** An item's signature, and what it signs. */
interface SignedItem {
  readonly signature: string
  readonly text: string
}

/** Reads the items' signatures, and the texts that they sign. Keeps nothing else of the body while the signatures are computed. */
function signedItems(
  evidence: Evidence,
): readonly SignedItem[] | Failure<'auth_missing' | 'signature_mismatch'> {
  const items = itemsOf(evidence.parsed())
  if (items === undefined) {
    return unsignedBecause(`notificationItems is not a list of 1 to ${MOST_ITEMS}`)
  }
  const found: SignedItem[] = []
  for (const each of items) {
    const item = memberAt(each, ['NotificationRequestItem'])
    const signature = memberAt(item, ['additionalData', 'hmacSignature'])
    if (typeof signature !== 'string' || signature === '') return fail('auth_missing', 'no hmacSignature')
    const text = signedText(item)
    if (typeof text === 'object') return fail('signature_mismatch', text.problem)
    found.push({ signature, text })
  }
  return found
}

function itemsOf(message: unknown): readonly Json[] | undefined {
  const items = memberAt(message, ['notificationItems'])
  return Array.isArray(items) && items.length > 0 && items.length <= MOST_ITEMS ? items : undefined
}

const ADYEN: CodeScheme = {
  name: 'adyen',
  sender: 'Adyen',
  secretName: 'HMAC key of the webhook, in hex',
  secretMadeBy: 'sender',
  algorithm: 'code',
  signature: {
    headers: [],
    member: '/notificationItems/0/NotificationRequestItem/additionalData/hmacSignature',
  },
  signs: ['/notificationItems/0/NotificationRequestItem/eventCode'],
  readsFirst: ['/additionalData/hmacSignature', ...SIGNED].map(
    (member) => `/notificationItems/*/NotificationRequestItem${member}`,
  ),
  covers: 'values',
  eventType: { member: '/notificationItems/0/NotificationRequestItem/eventCode' },
  maxBodyBytes: 262_144,
  async sign({ need, json }) {
    const message = json()
    const mac = macKeys(need('secret'), 'hex', 'base64')[0]?.mac
    for (const each of itemsOf(message) ?? []) {
      const item = Object(memberAt(each, ['NotificationRequestItem']))
      const text = signedText(item)
      if (typeof text === 'object') throw new ListenerConfigError('body', text.problem)
      const hmacSignature = await mac?.('', encodeUtf8(text), '')
      item.additionalData = { ...item.additionalData, hmacSignature }
    }
    return { body: encodeUtf8(JSON.stringify(message)) }
  },
  facts: {
    unsigned:
      'Adyen signs only if the webhook has an HMAC key: generate one in the Customer Area, under Developers, Webhooks, Security',
    otherSecrets: 'each webhook has its own, in test and live',
    mode: { member: '/live', live: 'true', test: 'false' },
    otherFormats:
      "Adyen sends a form or SOAP if the webhook's method is HTTP POST or SOAP: choose JSON in the Customer Area, under Developers, Webhooks",
  },
  limits:
    'Only eight values of each item are signed. The time, the reason and the additional data are not. Colons separate the values, and a reference may contain one.',
}

/**
 * Verifies Adyen's payment webhooks, sent as JSON. The item holds its own signature. The HMAC key is generated on the
 * webhook's page in the Customer Area, as hex. For the balance platform, import `hookgate/schemes/adyen-platform`.
 *
 * The signature covers the references, the amount, the event code and the outcome. These values are claimed, so a
 * repeated notification is a duplicate even if its other members have changed. Adyen sends one item a delivery as JSON, so
 * a delivery with several is refused with a 400. HTTP Basic authentication is not checked.
 *
 * @example
 * ```ts
 * const auth = adyen({ secrets: process.env.ADYEN_HMAC_KEY })
 * ```
 */
export const adyen: CodeSchemeFactory<
  SharedSecretOptions,
  '/notificationItems/0/NotificationRequestItem/eventCode'
> = defineCodeScheme(ADYEN, SHARED_SECRET_OPTIONS, ({ secrets }, authBy) => {
  const keys = macKeys(secrets, 'hex', 'base64')
  return async (evidence): Promise<Authentication> => {
    const items = signedItems(evidence)
    if ('reason' in items) return items
    let signer = ''
    for (const { signature, text } of items) {
      const signed = encodeUtf8(text)
      const id = await signerOf(keys, signature, signed)
      if (id === undefined) return mismatch(fitsNone(keys.length))
      evidence.signed = { before: '', body: signed, after: '' }
      signer ||= id
    }
    if (items.length > 1) {
      return fail('body_malformed', 'Adyen sends one item a delivery, and this one has several')
    }
    return authBy(signer)
  }
})
