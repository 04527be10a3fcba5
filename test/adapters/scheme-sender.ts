import type { ListenerOptions } from '../../src/index.ts'
import type { SchemeOptions } from '../../src/schemes/kit/index.ts'
import { signAs } from '../../src/testing/index.ts'
import { SCHEMES, type SchemeName, schemeAuth } from '../suites/runtimes/wire/schemes.ts'
import { newKey } from '../support/keys.ts'
import { type Endpoint, endpoint, NAMES, recipes } from '../support/sender.ts'

/** A form that every scheme accepts. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** One key for the whole file, because the tests are not about keys. */
const KEY = newKey('EdDSA')
const PUBLIC_HEX = Buffer.from(KEY.publicKey.x ?? '', 'base64url').toString('hex')

/** An endpoint for one of the other senders, and requests signed by that sender's scheme. */
export function schemeEndpoint(
  name: SchemeName,
  given: SchemeOptions = {},
  listener: Partial<ListenerOptions> = {},
): Endpoint {
  const factory = SCHEMES[name]
  const isPublic = factory.scheme.algorithm === 'ed25519'
  const keys = isPublic ? { publicKeys: PUBLIC_HEX } : { secrets: SECRET }
  const options = { ...('secrets' in given ? {} : keys), ...given }
  const auth = schemeAuth(name, options)
  recipes.set(auth, { sender: { name, options }, names: NAMES, keys: [] })
  const secret = typeof given.secrets === 'string' ? given.secrets : SECRET
  const signing = isPublic ? { privateKey: KEY.privateKey } : { secret }
  return endpoint(
    auth,
    async ({ body, timestamp, eventId }) =>
      signAs(factory, { ...signing, body, timestamp, eventId, publicUrl: given.publicUrl }),
    listener,
  )
}
