import { queryTextOf } from '../../delivery.ts'
import { fail } from '../../reason.ts'
import type { SignatureElsewhere } from './signatures.ts'

/**
 * Reads the parameter that the row names. Its name and value may be percent-encoded, as any text in a URL. Refuses a parameter that is
 * there twice, in whatever spelling, because other software may read the other one.
 */
export const signatureInQuery: SignatureElsewhere = ({ query: name }) => {
  if (name === undefined) return undefined
  return ({ delivery }) => {
    const query = queryTextOf(delivery)
    if (query === undefined) return fail('signature_mismatch', 'the URL is over 8,192 characters')
    const [signature = '', another] = new URLSearchParams(query).getAll(name)
    if (another !== undefined) return fail('signature_mismatch', `more than one ${name} in the query`)
    if (signature === '') return fail('auth_missing', `no ${name} in the query`)
    return [signature]
  }
}
