import type { Attempt } from '../checks/check.ts'
import { headerOf } from '../delivery.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import type { SignedRequest } from './signed-request.ts'
import { compileSignedText, type Signed } from './signed-text.ts'

/** How to find what a signature may stand for. */
export interface SignedReader {
  /** The sender's usual bytes first. Undefined where a value that is signed is missing. */
  read(attempt: Attempt): readonly Signed[] | undefined
  /** The names in the template's braces. */
  readonly names: readonly string[]
  readonly idDivider: string
}

export function signedReader(
  { signs, signedUrl = (url) => url }: Scheme,
  { publicUrl = '' }: SchemeOptions,
): SignedReader {
  if (typeof signs === 'string') {
    const { read, names, idDivider } = compileSignedText(signs, signedUrl(publicUrl))
    return {
      names,
      idDivider,
      read(attempt) {
        const signed = read(attempt)
        return signed && [signed]
      },
    }
  }
  return {
    names: ['body'],
    idDivider: '',
    read: (attempt) =>
      signs(signedRequest(attempt, publicUrl))?.map((body) => ({ before: '', body, after: '' })),
  }
}

/** What a scheme's own function sees of an attempt. */
export function signedRequest(attempt: Attempt, publicUrl: string): SignedRequest {
  const { delivery } = attempt
  return {
    method: delivery.method,
    header: (name) => {
      const value = headerOf(delivery, name)
      return typeof value === 'string' ? value : undefined
    },
    body: delivery.body,
    publicUrl,
    payload: () => attempt.parsed(),
  }
}
