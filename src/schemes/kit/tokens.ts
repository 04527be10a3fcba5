import { constantTimeEqual, sha256 } from '#crypto'
import { tryAll } from '../../auth/try-all.ts'
import { fieldText } from '../../delivery.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import type { Matcher, Tokens } from './authenticate.ts'

/** Compares digests, which have equal lengths. A row may look for its token in several headers. */
function tokenMatcher(secret: string): Matcher {
  return (tokens, _signed) =>
    whenKnown(sha256(secret), (right) => {
      const isRight = (token: string) => whenKnown(sha256(token), (given) => constantTimeEqual(given, right))
      return whenKnown(tryAll(tokens, isRight), (found) => found !== undefined)
    })
}

/** For rows whose sender sends a token. It may be in two headers, because one has to know it to split it. */
export const TOKENS: Tokens = { headerText: fieldText, matcherOf: tokenMatcher }
