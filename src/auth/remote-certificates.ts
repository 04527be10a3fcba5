import { decodeUtf8 } from '../lib/utf8.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { fetchBytes, platformFetch } from './fetch-bytes.ts'
import { type RemoteOptions, TIMEOUT_SECONDS } from './remote-options.ts'
import { RemoteValues } from './remote-values.ts'

const MOST_BYTES = 65_536
const ACCEPT = 'application/x-pem-file, application/pem-certificate-chain, */*'
/** RFC 8017 8.2, as Web Crypto calls it. */
const PKCS1 = 'RSASSA-PKCS1-v1_5'

export interface RsaSignature {
  readonly hash: 'SHA-1' | 'SHA-256'
  readonly signature: Uint8Array<ArrayBuffer>
  /** Called once the certificate is at hand, so that no message is held while it is fetched. */
  readonly message: () => Uint8Array<ArrayBuffer>
}

/** Resolves with the message if its signature verifies, otherwise with the problem, for the operator. */
export type VerifyByCertificate = (
  url: string,
  nowSeconds: number,
  given: RsaSignature,
) => Promise<Uint8Array | string>

/**
 * Verifies RSA signatures with certificates that the sender hosts. Only the host is trusted, so pin the URL before
 * you call. Does not check the certificate's chain or names.
 *
 * @throws KeySetError (as a rejection) if the certificate is unavailable.
 */
export function remoteCertificates(where: string, options: RemoteOptions): VerifyByCertificate {
  const { fetch = platformFetch, timeoutSeconds = TIMEOUT_SECONDS } = options
  const limits = { fetch, timeoutMs: timeoutSeconds * 1000, mostBytes: MOST_BYTES, accept: ACCEPT }
  const certificates = new RemoteValues(
    where,
    async (url) => {
      const pem = await fetchBytes(url, limits).catch(nothingThere)
      return pem && new CertificateKey(readCertificate(decodeUtf8(pem) ?? ''))
    },
    options,
  )
  return async (url, nowSeconds, given) =>
    await certificates.get(url, (key) =>
      key ? key.verify(nowSeconds, given) : 'there is no such certificate',
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
    const message = given.message()
    const verifies = await crypto.subtle.verify(PKCS1, key, given.signature, message)
    return verifies ? message : 'the signature does not verify'
  }
}

/** Maps statuses that mean "no such document" to undefined. All others are failures, which may be temporary. */
function nothingThere(failure: unknown): undefined {
  if (failure instanceof Error && [400, 403, 404, 410].includes(Number(failure.cause))) return undefined
  throw failure
}
