import { warnOfCut } from './cut-secrets.ts'
import { CODE_PARTS, type RowParts } from './define-scheme.ts'
import { inEitherFamily } from './header-families.ts'
import { keyBytes } from './keys.ts'
import { signatureInQuery } from './query-signature.ts'
import { rsaKeyMatcher } from './rsa-keys.ts'
import { signedRequest } from './signed-text.ts'
import { signedUrlText } from './signed-url.ts'
import { TOKENS } from './tokens.ts'

/** For rows that may need anything: those of users. */
export const ALL_PARTS: Required<Omit<RowParts, 'differs'>> = {
  ...CODE_PARTS,
  url: signedUrlText,
  publicKeys: rsaKeyMatcher,
  query: signatureInQuery,
  requests: signedRequest,
  tokens: TOKENS,
  keys: keyBytes,
  checksSecret: warnOfCut,
  families: inEitherFamily,
}
