import { rsaSpkiProblem } from '../../crypto/public-keys.ts'
import type { PublicKeyMatcher } from './authenticate.ts'
import { publicKeyMatcherWith } from './public-keys.ts'

/** For rows of RSA, and of all that `publicKeyMatcher` takes. It stands alone, so that no other row brings the checks of RSA keys. */
export const rsaKeyMatcher: PublicKeyMatcher = /* @__PURE__ */ publicKeyMatcherWith(rsaSpkiProblem)
