import { SignedDataVerifier } from '@apple/app-store-server-library'
import { passes, text } from './reading.mjs'

/** Without OCSP, which would ask Apple. The chain is then judged at the time of signing. */
export function verify({ body, options }) {
  const { rootCertificates, environment, bundleId, appAppleId } = options
  return passes(async () => {
    const { signedPayload } = JSON.parse(text(body))
    const verifier = new SignedDataVerifier(
      [Buffer.from(rootCertificates)],
      false,
      environment,
      bundleId,
      appAppleId,
    )
    await verifier.verifyAndDecodeNotification(signedPayload)
  })
}
