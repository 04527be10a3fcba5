import { headerOf } from '../delivery.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { Scheme, SchemeOptions } from './scheme.ts'
import type { SignedRequest } from './signed-request.ts'
import { compileSignedText, type Signed, type SignedValues } from './signed-text.ts'

/** How to find what a signature may stand for. */
export interface SignedReader {
  /** The sender's usual bytes first. Undefined where a value that is signed is missing. */
  read(values: SignedValues): MaybePromise<readonly Signed[] | undefined>
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
      read(values) {
        const signed = read(values)
        return signed && [signed]
      },
    }
  }
  return {
    names: ['body'],
    idDivider: '',
    read: (values) =>
      whenKnown(signs(signedRequest(values, publicUrl)), (signed) =>
        signed?.map((body) => ({ before: '', body, after: '' })),
      ),
  }
}

/** What a scheme's own function sees. */
export function signedRequest(values: SignedValues, publicUrl: string): SignedRequest {
  const { delivery } = values
  return {
    method: delivery.method,
    header: (name) => {
      const value = headerOf(delivery, name)
      return typeof value === 'string' ? value : undefined
    },
    body: delivery.body,
    publicUrl,
    payload: () => values.parsed(),
  }
}
