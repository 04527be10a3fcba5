import { type Delivery, headerOf, queryTextOf } from '../delivery.ts'
import { encodeUtf8 } from '../lib/bytes.ts'
import { memberAt, textAt } from '../lib/json.ts'
import { fail, fitsNone, mismatch } from '../reason.ts'
import {
  type CodeScheme,
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './kit/define-scheme.ts'
import { macKeys, signerOf } from './kit/keys.ts'
import { signatureReader } from './kit/signatures.ts'
import { withParameter } from './kit/signed-url.ts'

const SIGNATURE = 'x-signature'
const REQUEST_ID = 'x-request-id'
const DATA_ID = 'data.id'
const ID = ['data', 'id']
const TIME = /^ts=([0-9]{1,16})$/

/** What is signed. Pairs without a value are left out. */
function manifestOf(id: string, requestId: string, time: string): Uint8Array {
  const pairs = { id, 'request-id': requestId, ts: time }
  const written = Object.entries(pairs).flatMap(([name, value]) =>
    value === '' ? [] : [`${name}:${value};`],
  )
  return encodeUtf8(written.join(''))
}

/** Mercado Pago's documents say that the ID is signed in lower case. Its SDKs take it as it is. */
const spellings = (id: string) => [...new Set([id, id.toLowerCase()])]

/** Whether the body's ID is not that of the notification: a merchant order's is the order's, which the URL names. */
const isOfResource = (id: string, delivery: Delivery) => {
  const query = new URLSearchParams(queryTextOf(delivery))
  return [query.get(DATA_ID), query.get('id')].includes(id)
}

const isSameId = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

const MERCADO_PAGO: CodeScheme = {
  name: 'mercado-pago',
  sender: 'Mercado Pago',
  secretName: 'secret signature of the application, under Webhooks in Your integrations',
  secretMadeBy: 'sender',
  algorithm: 'code',
  signature: { headers: [SIGNATURE] },
  signs: ['timestamp'],
  readsFirst: ['/data/id'],
  covers: 'values',
  timestamp: { item: 'ts=', unit: 'milliseconds', of: 'attempt' },
  eventId: { member: '/id' },
  claimedId: (id, { delivery }) => (isOfResource(id, delivery) ? `${delivery.header(SIGNATURE)}` : ''),
  eventType: { member: '/type' },
  maxBodyBytes: 65_536,
  async sign({ need, json, timestampText, eventId }) {
    const id = textAt(json(), ID) ?? ''
    const [key] = macKeys(need('secret'), 'text', 'hex')
    const manifest = manifestOf(id.toLowerCase(), eventId, timestampText)
    const signature = await key?.mac('', manifest, '')
    return {
      headers: { [SIGNATURE]: `ts=${timestampText},v1=${signature}`, [REQUEST_ID]: eventId },
      url: id === '' ? need('publicUrl') : withParameter(need('publicUrl'), DATA_ID, id),
    }
  },
  facts: {
    unsigned:
      'Mercado Pago does not sign notifications of QR codes, nor those whose URL is set in a payment and not in Your integrations',
    otherSecrets: 'each application has its own; it is not the access token',
  },
  limits:
    "The body is not signed: only the request's ID, the time, and the ID of its data if the URL has that. Fetch the payment or the order from Mercado Pago by this ID.",
}

/**
 * Verifies notifications from Mercado Pago by their `x-signature` header. The secret is the application's, under Webhooks in Your
 * integrations. The signature covers `data.id` of the query, `x-request-id` and the time, not the body. If the URL has a `data.id`,
 * that of the body has to be the same, so your handler can trust `event.payload.data.id`, and nothing else of the body: fetch the
 * rest by this ID. If the URL has none, trust nothing of the body. The time is in seconds or milliseconds.
 *
 * The ID in the body is not signed either, so both are claimed: what is signed, and the ID. A merchant order's notifications have the
 * ID of the order, so only what is signed is claimed, and a retry is a new event. Read in November 2026: the
 * [documentation](https://www.mercadopago.com.br/developers/en/docs/your-integrations/notifications/webhooks), and the SDK for Node.js,
 * which signs the ID as it is, where the documentation says in lower case: either is accepted.
 *
 * @example
 * ```ts
 * const auth = mercadoPago({ secrets: process.env.MERCADO_PAGO_WEBHOOK_SECRET })
 * ```
 */
export const mercadoPago: CodeSchemeFactory<SharedSecretOptions, '/type'> = defineCodeScheme(
  MERCADO_PAGO,
  SHARED_SECRET_OPTIONS,
  ({ secrets }, authBy) => {
    const keys = macKeys(secrets, 'text', 'hex')
    const itemsOf = signatureReader({ ...MERCADO_PAGO.signature, separator: ', ' })
    return async (evidence) => {
      const items = itemsOf(evidence)
      if ('reason' in items) return items
      const { delivery } = evidence
      const [time, anotherTime] = items.flatMap((item) => TIME.exec(item)?.[1] ?? [])
      const [signature, another] = items.flatMap((item) => (item.startsWith('v1=') ? item.slice(3) : []))
      if (!time || !signature || anotherTime || another) {
        return fail('signature_mismatch', 'x-signature must contain ts= and v1= exactly once')
      }
      const query = queryTextOf(delivery)
      const ids = new URLSearchParams(query).getAll(DATA_ID)
      const requestId = headerOf(delivery, REQUEST_ID) ?? ''
      if (query === undefined || ids.length > 1 || typeof requestId !== 'string') {
        return fail(
          'signature_mismatch',
          `the URL is too long, or ${DATA_ID} or ${REQUEST_ID} is there twice`,
        )
      }
      const [id = ''] = ids
      if (`${id}${requestId}`.includes(';')) {
        return fail(
          'signature_mismatch',
          `${DATA_ID} or ${REQUEST_ID} has a semicolon, which divides what is signed`,
        )
      }
      const inBody = memberAt(evidence.parsed(), ID)
      if (id !== '' && inBody !== undefined && !isSameId(`${inBody}`, id)) {
        return fail('signature_mismatch', `the body has another ${DATA_ID} than the URL`)
      }
      for (const each of spellings(id)) {
        const manifest = manifestOf(each, requestId, time)
        const signer = await signerOf(keys, signature, manifest)
        if (signer === undefined) continue
        evidence.timestampText = time.length > 12 ? time : `${time}000`
        evidence.signed = { before: '', body: manifest, after: '' }
        return authBy(signer)
      }
      return mismatch(fitsNone(keys.length))
    }
  },
)
