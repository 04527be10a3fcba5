import { type Authenticator, defineListener, hmac, type Listener } from 'hookgate'
import type { ExplainOptions } from 'hookgate/explain'
import { memoryStore } from 'hookgate/stores/memory'
import type { Entered } from './form.ts'
import { loadScheme, needsOf } from './senders.ts'

/** A listener as the reader has described it, and what explains its refusals. */
export interface Receiver {
  readonly listener: Listener
  readonly known: ExplainOptions
}

const ANY_AGE_SECONDS = 1e9

/** @throws ListenerConfigError for an invalid secret, key or URL. */
export async function receiverFor(entered: Entered): Promise<Receiver> {
  const { auth, known } = await authFor(entered)
  // A new store for each verification, so that no event is a duplicate.
  if (!entered.anyAge) {
    const store = memoryStore({ maxRecords: 1 })
    return { listener: defineListener({ id: 'playground', auth, store }), known }
  }
  const retentionSeconds = 2 * ANY_AGE_SECONDS + 1
  const store = memoryStore({ maxRecords: 1, replayWindowSeconds: retentionSeconds })
  const times = { toleranceSeconds: ANY_AGE_SECONDS, retentionSeconds }
  return { listener: defineListener({ id: 'playground', auth, store, ...times }), known }
}

type Auth = { readonly auth: Authenticator; readonly known: ExplainOptions }

async function authFor(entered: Entered): Promise<Auth> {
  const { scheme, secret } = entered
  if (scheme === 'hmac') return { auth: hmac({ secrets: secret }), known: { secret } }
  if (scheme === 'jwt') return jwtAuth(entered)
  const factory = await loadScheme(scheme)
  const { option, hasOwnOptions } = needsOf(factory)
  const own = { ...(hasOwnOptions && ownOptions(entered.more)), publicUrl: entered.url }
  const keyed = option === 'publicKeys' ? { publicKeys: secret } : { secrets: secret }
  const auth = factory(option === undefined && secret === '' ? own : { ...keyed, ...own })
  return { auth, known: {} }
}

async function jwtAuth({ jwks, subject, url }: Entered): Promise<Auth> {
  const { jwt, localKeySet } = await import('hookgate/jwt')
  const claims = { subject, audience: url }
  return { auth: jwt({ keySet: localKeySet(keysIn(jwks)), ...claims }), known: { claims } }
}

/** Accepts a single JWK too. */
function keysIn(text: string): { readonly keys: readonly object[] } {
  const given = parsed('The JWKS', text)
  return 'keys' in given ? { keys: given.keys as readonly object[] } : { keys: [given] } // localKeySet checks it
}

/** Options of a scheme that has its own. @throws SyntaxError when they are not JSON. */
export function ownOptions(text: string): object {
  return text.trim() === '' ? {} : parsed('The other options', text)
}

/** @throws SyntaxError when it is not an object. The factories check its members. */
function parsed(what: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {} // reported below
  throw new SyntaxError(`${what} must be a JSON object.`)
}
