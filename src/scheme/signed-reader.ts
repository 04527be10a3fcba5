import { headerOf, queryTextOf } from '../delivery.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { fieldText } from './field-text.ts'
import type { Scheme } from './scheme.ts'
import type { SchemeOptions } from './scheme-options.ts'
import type { SignedRequest } from './signed-request.ts'
import { compileSignedText, type Signed, type SignedValues } from './signed-text.ts'

/** Reconstructs the bytes that a signature may cover. */
export interface SignedReader {
  /** Returns the candidates, most likely first. Undefined if a signed value is missing. */
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
        signed?.map((each) => ('before' in each ? each : { before: '', body: each, after: '' })),
      ),
  }
}

/** The view of a request that a scheme's own function gets. */
export function signedRequest(values: SignedValues, publicUrl: string): SignedRequest {
  const { delivery } = values
  return {
    method: delivery.method,
    header: (name) => {
      const value = headerOf(delivery, name)
      return typeof value === 'string' ? value : undefined
    },
    list: (name) => fieldText(delivery, name),
    queryText: () => queryTextOf(delivery),
    body: delivery.body,
    publicUrl,
    payload: () => values.parsed(),
  }
}
