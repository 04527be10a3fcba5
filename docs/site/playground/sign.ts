import { type SignedRequest, signAs, signHmac, signJwt } from 'hookgate/testing'
import type { Entered } from './form.ts'
import { ownOptions } from './listener.ts'
import { loadScheme, needsOf } from './senders.ts'

/**
 * Signs the body as the sender would, with a new time and a new ID.
 * @throws ListenerConfigError if the scheme cannot sign here.
 */
export async function signed(entered: Entered): Promise<SignedRequest<string>> {
  const { scheme, secret, body, subject, url, more } = entered
  if (scheme === 'hmac') return signHmac({ secret, body })
  if (scheme === 'jwt') return signJwt({ privateKey: privateKey(entered), subject, audience: url, body })
  const factory = await loadScheme(scheme)
  const key = needsOf(factory).option === 'publicKeys' ? { privateKey: privateKey(entered) } : { secret }
  // The only option that is a string is the secret's name: LiveKit's apiKey, Braintree's publicKey.
  const keyId = Object.values(ownOptions(more)).find((value) => typeof value === 'string')
  return signAs(factory, { ...key, keyId, publicUrl: url, body })
}

function privateKey({ privateKey }: Entered) {
  try {
    return JSON.parse(privateKey)
  } catch {
    throw new SyntaxError('Give the private key of the sender as a JWK. “Make a pair” makes one for trying.')
  }
}
