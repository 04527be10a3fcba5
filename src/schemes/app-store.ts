import { verifySignature } from '#crypto'
import { type Jws, payloadIn, payloadOf, readJws } from '../auth/jws.ts'
import type { Claims } from '../auth/token.ts'
import type { SignatureKey } from '../crypto/algorithms.ts'
import { type ChainCertificate, isIssuedBy, readChainCertificate } from '../crypto/certificate-chain.ts'
import { ListenerConfigError } from '../errors.ts'
import { decodeBase64, isBytes } from '../lib/bytes.ts'
import { type Json, memberAt } from '../lib/json.ts'
import { rawText } from '../lib/json-members.ts'
import { exactText, type OptionCheck, oneOfWords, optional, positiveInteger } from '../lib/options.ts'
import { fail, mismatch } from '../reason.ts'
import type { BodyForm } from '../scheme.ts'
import {
  COMMON_OPTIONS,
  type CodeScheme,
  type CodeSchemeFactory,
  type CommonOptions,
  defineCodeScheme,
} from './kit/define-scheme.ts'

/** A certificate: its DER, as Apple's `.cer` files have it, or the base64 of that, or PEM. */
type RootCertificate = string | Uint8Array

/** The options of `appStore`, named as in Apple's library. */
export interface AppStoreOptions extends CommonOptions {
  /** Apple Root CA - G3, from apple.com/certificateauthority, or several roots. Those of RSA keys are not used. */
  readonly rootCertificates: RootCertificate | readonly RootCertificate[]
  /** The bundle ID of your app, e.g. `com.example.app`. */
  readonly bundleId: string
  /** The environment of the notifications. Each has a URL of its own in App Store Connect. */
  readonly environment: 'Production' | 'Sandbox'
  /** The app's Apple ID, a number, from App Store Connect. Required in production. Sandbox notifications have none. */
  readonly appAppleId?: number | undefined
}

/** Marks of the certificates that sign receipts, 1.2.840.113635.100.6.11.1, and of those that issue them, 1.2.840.113635.100.6.2.1. */
const LEAF_MARK = '2a864886f76364060b01'
const INTERMEDIATE_MARK = '2a864886f76364060201'
const CHAIN_LENGTH = 3
/** By which Apple's library lets clocks differ. */
const SKEW_SECONDS = 60
const ARMOUR = /-----(?:BEGIN|END) CERTIFICATE-----|\s|\\[rn]/g // a line break may be two characters in an environment variable
const SIGNED_PAYLOAD = 'signedPayload'

/** The decoded payload of `signedPayload`. Nothing else of the body is signed, or read. */
const NOTIFICATION: BodyForm = {
  mediaTypes: ['application/json'],
  contentType: 'application/json',
  is: 'a notification of version 2',
  read(body) {
    const signed = rawText(body, SIGNED_PAYLOAD)
    return signed && payloadIn(signed)
  },
  write: (event) => new Uint8Array(event),
}

const APP_STORE: CodeScheme = {
  name: 'app-store',
  sender: 'Apple App Store (server notifications)',
  secretName: 'none; pass Apple’s root certificate as rootCertificates',
  algorithm: 'code',
  signature: { headers: [], member: '/signedPayload' },
  signs: ['body'],
  covers: 'body',
  timestamp: { member: '/signedDate', unit: 'milliseconds', of: 'event' },
  eventId: { member: '/notificationUUID' },
  eventType: { member: '/notificationType' },
  content: [NOTIFICATION],
  maxBodyBytes: 262_144,
  facts: {
    unsigned: 'Apple signs notifications of version 2 only: choose it in App Store Connect, with the URL',
  },
  limits:
    'The URL and the headers are not signed. Whether Apple has revoked a certificate is not asked (OCSP).',
}

interface Chain {
  readonly leaf: ChainCertificate
  readonly intermediate: ChainCertificate
}

/** The certificates of the header, leaf first (RFC 7515 4.1.6). The root is never taken from it. */
function chainOf({ header }: Jws): Chain | string {
  const chain = header.x5c
  if (!Array.isArray(chain) || chain.length !== CHAIN_LENGTH)
    return 'x5c is not a chain of three certificates'
  const [leaf, intermediate] = chain.slice(0, 2).map((each) => certificateIn(each))
  if (leaf === undefined || intermediate === undefined)
    return 'x5c has a certificate that is malformed, or of another kind'
  if (leaf.curve !== 'P-256' || !leaf.extensions.has(LEAF_MARK))
    return 'the leaf certificate is not one of those that sign receipts'
  if (!intermediate.extensions.has(INTERMEDIATE_MARK) || !intermediate.isAuthority)
    return 'the intermediate certificate is none of Apple Worldwide Developer Relations'
  return { leaf, intermediate }
}

function certificateIn(text: Json): ChainCertificate | undefined {
  const der = typeof text === 'string' ? decodeBase64(text) : undefined
  return der && readChainCertificate(der)
}

/** A chain whose signatures lead to a configured root. */
interface KnownChain {
  readonly text: string
  readonly root: ChainCertificate
  /** That of the leaf. */
  readonly key: SignatureKey
}

const P256 = { name: 'ECDSA', namedCurve: 'P-256' }

/** Verifies the signatures of chains. Keeps the last good one, because all notifications of a year have the same. */
function chainVerifier(roots: readonly ChainCertificate[]) {
  let last: KnownChain | undefined
  return async (jws: Jws, { leaf, intermediate }: Chain): Promise<KnownChain | undefined> => {
    const text = JSON.stringify(jws.header.x5c)
    if (last?.text === text) return last
    let root: ChainCertificate | undefined
    for (const each of roots) if (await isIssuedBy(intermediate, each)) root = each
    if (root === undefined || !(await isIssuedBy(leaf, intermediate))) return undefined
    const key = await crypto.subtle.importKey('spki', leaf.publicKey, P256, false, ['verify'])
    last = { text, root, key }
    return last
  }
}

const isValidAt = (seconds: number, { notBefore, notAfter }: ChainCertificate): boolean =>
  seconds >= notBefore - SKEW_SECONDS && seconds <= notAfter + SKEW_SECONDS // NaN fails closed

/** Whom a notification is for. Which member says so depends on its type. */
function addresseeOf(notification: Claims): { readonly [name: string]: Json | undefined } {
  const name = ['data', 'summary', 'externalPurchaseToken', 'appData'].find((each) => notification[each])
  const [bundleId, appAppleId, environment, purchase] = [
    'bundleId',
    'appAppleId',
    'environment',
    'externalPurchaseId',
  ].map((member) => (name === undefined ? undefined : memberAt(notification, [name, member])))
  const isSandbox = typeof purchase === 'string' && purchase.startsWith('SANDBOX')
  const ofToken = isSandbox ? 'Sandbox' : 'Production'
  return { bundleId, appAppleId, environment: name === 'externalPurchaseToken' ? ofToken : environment }
}

/** Says what is wrong with a notification whose signature is Apple's. */
function problemOf(
  notification: Claims,
  { bundleId, appAppleId, environment }: AppStoreOptions,
): string | undefined {
  const found = addresseeOf(notification)
  if (found.bundleId !== bundleId) return 'bundleId is another one'
  if (environment === 'Production' && found.appAppleId !== appAppleId) return 'appAppleId is another one'
  return found.environment === environment ? undefined : 'environment is another one'
}

/** @throws ListenerConfigError */
function readRoots(given: AppStoreOptions['rootCertificates']): readonly ChainCertificate[] {
  const roots = [given].flat().map((each, index) => {
    const text = typeof each === 'string' ? decodeBase64(each.replace(ARMOUR, '')) : undefined
    const der = text ?? (isBytes(each) ? new Uint8Array(each) : undefined)
    if (der?.[0] !== 0x30) {
      throw new ListenerConfigError(
        `rootCertificates[${index}]`,
        'is no certificate; pass the .cer file or its PEM',
      )
    }
    return readChainCertificate(der)
  })
  const usable = roots.filter((each) => each !== undefined)
  if (usable.length === 0) {
    throw new ListenerConfigError(
      'rootCertificates',
      'has no root with an elliptic curve; pass Apple Root CA - G3',
    )
  }
  return usable
}

/** Judged by `readRoots`. @throws ListenerConfigError */
const aRoot: OptionCheck = (value, option) => {
  if (value === undefined) throw new ListenerConfigError(option, 'is missing; pass Apple Root CA - G3')
}

/**
 * Verifies App Store Server Notifications (version 2) from Apple, whose `signedPayload` is a JWS with its chain of certificates. There
 * is no secret. Pass Apple's root certificate, your bundle ID, the environment, and in production the app's Apple ID.
 *
 * The chain must lead to your root, its certificates must be those that sign receipts, and all must be valid when the notification was
 * signed. `event.payload` is the decoded notification. Its `signedTransactionInfo` and `signedRenewalInfo` are signed again: decode
 * them, because they are covered. Deliveries are claimed by `notificationUUID`, which stays the same on retries.
 *
 * @example
 * ```ts
 * const auth = appStore({
 *   rootCertificates: process.env.APPLE_ROOT_CA_G3 ?? '',
 *   bundleId: 'com.example.app',
 *   environment: 'Production',
 *   appAppleId: 1234567890,
 * })
 * ```
 *
 * @throws ListenerConfigError for a missing option, or a root that is no certificate.
 */
export const appStore: CodeSchemeFactory<AppStoreOptions, '/notificationType'> = defineCodeScheme(
  APP_STORE,
  {
    ...COMMON_OPTIONS,
    rootCertificates: aRoot,
    bundleId: exactText,
    environment: /* @__PURE__ */ oneOfWords('Production', 'Sandbox'),
    appAppleId: /* @__PURE__ */ optional(positiveInteger),
  },
  (options, authBy) => {
    if (options.environment === 'Production' && options.appAppleId === undefined) {
      throw new ListenerConfigError('appAppleId', 'is missing; production notifications have one')
    }
    const verifiedChain = chainVerifier(readRoots(options.rootCertificates))
    return async (evidence) => {
      const signed = evidence.member(SIGNED_PAYLOAD)
      if (signed === undefined || signed.length === 0) return fail('auth_missing', 'no signedPayload')
      const jws = readJws(signed, 'ES256')
      if (typeof jws === 'string') return fail('signature_mismatch', jws)
      const chain = chainOf(jws)
      if (typeof chain === 'string') return fail('signature_mismatch', chain)
      const known = await verifiedChain(jws, chain)
      if (known === undefined) return mismatch('the chain of x5c leads to none of rootCertificates')
      if (!(await verifySignature('ES256', known.key, jws.signature, jws.signingInput))) {
        return fail('signature_mismatch', 'the signature of signedPayload does not verify')
      }
      const notification = payloadOf(jws)
      if (typeof notification === 'string') return fail('signature_mismatch', notification)
      const signedAt = Number(notification.signedDate) / 1000
      if (![chain.leaf, chain.intermediate, known.root].every((each) => isValidAt(signedAt, each))) {
        return fail(
          'signature_mismatch',
          'a certificate of the chain was not valid when the notification was signed',
        )
      }
      const problem = problemOf(notification, options)
      return problem === undefined ? authBy('Apple') : fail('signature_mismatch', problem)
    }
  },
)
