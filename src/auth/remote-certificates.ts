import { type Certificate, readCertificate } from '../crypto/certificate.ts'
import { ListenerConfigError } from '../errors.ts'
import { decodeUtf8 } from '../lib/bytes.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { memberOf } from '../lib/member-of.ts'
import { checkedElsewhere, type OptionTable } from '../lib/options.ts'
import type { Evidence } from './evidence.ts'
import { fetchBytes, platformFetch } from './fetch-bytes.ts'
import { RemoteCache } from './remote-cache.ts'
import { REMOTE_OPTIONS, type RemoteOptions, TIMEOUT_SECONDS } from './remote-value.ts'

const MOST_BYTES = 65_536
const ACCEPT = 'application/x-pem-file, application/pem-certificate-chain, */*'
/** RFC 8017 8.2, as Web Crypto calls it. */
const PKCS1 = 'RSASSA-PKCS1-v1_5'
/** Any other may come from a proxy on the way, which says nothing about the certificate. */
const NO_SUCH_DOCUMENT: readonly unknown[] = [404, 410]

/** Where certificates come from. */
export interface CertificateOptions extends RemoteOptions {
  /**
   * The sender's certificates, as PEM, by their URL. They are never fetched. Certificates at other URLs still are, because
   * senders replace theirs: add the new one before the old one expires.
   */
  readonly certificates?: { readonly [url: string]: string } | undefined
}

export const CERTIFICATE_OPTIONS: OptionTable<CertificateOptions> = {
  ...REMOTE_OPTIONS,
  certificates: checkedElsewhere,
}

export interface RsaSignature {
  readonly hash: 'SHA-1' | 'SHA-256'
  readonly signature: Uint8Array<ArrayBuffer>
  /** Called once the certificate is there, so that no message is held while it is fetched. */
  readonly message: () => MaybePromise<Uint8Array<ArrayBuffer>>
}

/** Resolves with the message if its signature verifies, otherwise with the problem, for the operator. */
type VerifyByCertificate = (
  evidence: Evidence,
  url: string,
  given: RsaSignature,
) => Promise<Uint8Array | string>

/**
 * Verifies RSA signatures with certificates that the sender hosts. Only the host is trusted, so pin the URL before
 * you call. Does not check the certificate's chain or names.
 *
 * @param isPinned Whether the sender's certificates can have this URL.
 * @throws ListenerConfigError for unusable `certificates`.
 * @throws KeySetError (as a rejection of the result) if the certificate is unavailable.
 */
export function remoteCertificates(
  where: string,
  isPinned: (url: string) => boolean,
  options: CertificateOptions,
): VerifyByCertificate {
  const { fetch = platformFetch, timeoutSeconds = TIMEOUT_SECONDS } = options
  const limits = { fetch, timeoutMs: timeoutSeconds * 1000, mostBytes: MOST_BYTES, accept: ACCEPT }
  const configured = configuredKeys(where, isPinned, options.certificates)
  const fetched = new RemoteCache(
    where,
    async (url) => {
      const pem = await fetchBytes(url, limits).catch(nothingThere)
      if (pem === undefined) return undefined
      const certificate = readCertificate(decodeUtf8(pem) ?? '')
      if (typeof certificate === 'string') throw new Error(`sent ${certificate}`)
      return new CertificateKey(certificate)
    },
    options,
  )
  return async ({ delivery, now }, url, given) => {
    const known = configured.get(url)
    if (known) return await known.verify(now, given)
    return await fetched.get(url, delivery.sourceIp, (key) =>
      key ? key.verify(now, given) : 'there is no such certificate',
    )
  }
}

/** @throws ListenerConfigError */
function configuredKeys(
  where: string,
  isPinned: (url: string) => boolean,
  certificates: unknown = {},
): ReadonlyMap<string, CertificateKey> {
  if (typeof certificates !== 'object' || certificates === null || Array.isArray(certificates)) {
    throw new ListenerConfigError(
      'certificates',
      'must be an object with the PEM of each certificate by its URL',
    )
  }
  return new Map(
    Object.entries(certificates).map(([url, pem]) => {
      const option = `certificates[${JSON.stringify(url)}]`
      if (!isPinned(url)) {
        throw new ListenerConfigError(
          option,
          `is not the URL of a certificate of ${where}; copy it from a delivery`,
        )
      }
      const certificate = typeof pem === 'string' ? readCertificate(pem) : 'no text'
      if (typeof certificate === 'string') {
        throw new ListenerConfigError(option, `is ${certificate}; pass the PEM file that the URL serves`)
      }
      return [url, new CertificateKey(certificate)]
    }),
  )
}

class CertificateKey {
  readonly #certificate: Certificate
  // Caches the key, never its promise: workerd forbids awaiting what another request started.
  readonly #imported = new Map<string, Awaited<ReturnType<typeof crypto.subtle.importKey>>>()

  constructor(certificate: Certificate) {
    this.#certificate = certificate
  }

  async verify(nowSeconds: number, given: RsaSignature): Promise<Uint8Array | string> {
    const { notAfter, publicKey } = this.#certificate
    // Phrased so that NaN from the clock fails closed.
    if (!(nowSeconds <= notAfter)) return 'the certificate has expired'
    const algorithm = { name: PKCS1, hash: given.hash }
    const key =
      this.#imported.get(given.hash) ??
      (await crypto.subtle.importKey('spki', publicKey, algorithm, false, ['verify']))
    this.#imported.set(given.hash, key)
    const message = await given.message()
    const verifies = await crypto.subtle.verify(PKCS1, key, given.signature, message)
    return verifies ? message : 'the signature does not verify'
  }
}

/** Undefined if the host has no such document. All other failures may be temporary. */
function nothingThere(failure: unknown): undefined {
  if (NO_SUCH_DOCUMENT.includes(memberOf(failure, 'cause'))) return undefined
  throw failure
}
