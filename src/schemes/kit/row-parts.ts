import type { RowParts } from './define-scheme.ts'
import { inEitherFamily } from './header-families.ts'
import { PRE_AUTH_BODY } from './pre-auth-body.ts'
import { publicKeyMatcher } from './public-keys.ts'
import { signatureInQuery } from './query-signature.ts'
import { signedUrlText } from './signed-url.ts'

/** For rows that may need anything: those of users. */
export const ALL_PARTS: Required<RowParts> = {
  url: signedUrlText,
  publicKeys: publicKeyMatcher,
  query: signatureInQuery,
  preAuth: PRE_AUTH_BODY,
  families: inEitherFamily,
}
