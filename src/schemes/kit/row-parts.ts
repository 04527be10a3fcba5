import type { RowParts } from './define-scheme.ts'
import { EARLY_BODY } from './early-body.ts'
import { publicKeyMatcher } from './public-keys.ts'
import { signedUrlText } from './signed-url.ts'

/** For rows that may need anything: those of users. */
export const ALL_PARTS: Required<RowParts> = {
  url: signedUrlText,
  publicKeys: publicKeyMatcher,
  early: EARLY_BODY,
}
