import { namedSecrets, secretText } from '../../auth/secrets.ts'
import type { CodeScheme } from '../../code-scheme.ts'
import { ListenerConfigError } from '../../errors.ts'
import { encodeBase64, encodeUtf8 } from '../../lib/bytes.ts'
import type { Json } from '../../lib/json.ts'
import type { OptionCheck } from '../../lib/options.ts'
import { fail, mismatch } from '../../reason.ts'
import {
  type CodeSchemeFactory,
  defineCodeScheme,
  SHARED_SECRET_OPTIONS,
  type SharedSecretOptions,
} from './define-scheme.ts'
import { holderOf } from './keys.ts'
import { signatureReader } from './signatures.ts'

const BASIC = /^basic /i
const SIGNATURE = { headers: ['authorization'] } as const

/** What a row of HTTP Basic says of its sender. The secret is `user:password`. */
export type BasicRow = Omit<CodeScheme, 'algorithm' | 'signature' | 'signs' | 'covers' | 'sign' | 'limits'>

/**
 * Defines the scheme of a sender that authenticates by HTTP Basic (RFC 7617), in UTF-8. `typeOf` finds the event's type, if the
 * sender has it in several members.
 */
/* @__NO_SIDE_EFFECTS__ */
export function basicScheme<EventName extends string = never>(
  row: BasicRow,
  typeOf?: (payload: Json | undefined) => string,
): CodeSchemeFactory<SharedSecretOptions, EventName> {
  const scheme: CodeScheme = {
    ...row,
    algorithm: 'code',
    signature: SIGNATURE,
    signs: [],
    covers: 'token',
    sign: ({ need }) => ({ headers: { authorization: `Basic ${encoded(need('secret'))}` } }),
    limits:
      'Nothing is signed: user and password only identify the caller, and anyone who has seen them can forge deliveries.',
  }
  return defineCodeScheme(scheme, SHARED_SECRET_OPTIONS, ({ secrets }, authBy) => {
    const known = namedSecrets(secrets, 'secrets', userAndPassword).map(({ id, secret }) => ({
      id,
      secret: encoded(secret),
    }))
    const credentialsOf = signatureReader(SIGNATURE)
    return (evidence) => {
      const credentials = credentialsOf(evidence)
      if ('reason' in credentials) return credentials
      const [text = ''] = credentials
      if (!BASIC.test(text)) return fail('signature_mismatch', 'Authorization is not Basic')
      const holder = holderOf(known, text.replace(BASIC, ''))
      if (holder === undefined) return mismatch('user and password are none of the secrets')
      if (typeOf) evidence.eventTypeText = typeOf(evidence.keepParsed())
      return authBy(holder)
    }
  })
}

/** The password alone authenticates. A URL may have one without a user, `https://:password@…`, so the user may be empty. */
const userAndPassword: OptionCheck = (value, option) => {
  secretText(value, option)
  const [, user, password] = /^([^:]*):?(.*)$/s.exec(`${value}`) ?? []
  if (user) secretText(user, option)
  if (!/[^\s:"']/.test(`${password}`))
    throw new ListenerConfigError(
      option,
      'has no password behind its first colon; set the environment variable',
    )
}

const encoded = (userAndPassword: string): string => encodeBase64(encodeUtf8(userAndPassword))
