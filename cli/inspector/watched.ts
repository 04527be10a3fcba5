import type { Server } from 'node:http'
import type { Known } from '../../src/explain/index.ts'
import type { Listener } from '../../src/index.ts'
import type { ListenAuth } from '../listen/auth.ts'
import { knownOf } from '../listen/explanations.ts'
import type { AuthValues } from '../listen/options.ts'
import type { InspectorValues } from './options.ts'
import { type Resigner, resignerFor } from './resigner.ts'

/** What `listen` has when it opens the inspector. */
export interface Listening {
  readonly given: AuthValues & InspectorValues
  readonly auth: ListenAuth
  readonly server: Server
  readonly listener: Listener<unknown>
  readonly url: string
}

/** The listener that the inspector watches. */
export interface Watched {
  readonly server: Server
  readonly listener: Listener<unknown>
  /** The listener's own URL. */
  readonly url: string
  readonly resigner: Resigner | string
  /** Texts that must never be shown. */
  readonly secrets: readonly string[]
  readonly known: Known
}

/** @throws UsageError if `--key` is not a private JWK. */
export async function watchedOf({ given, auth, server, listener, url }: Listening): Promise<Watched> {
  const { secret } = auth
  return {
    server,
    listener,
    url,
    resigner: await resignerFor(given, { secret, url, dedupe: listener.auth.sender?.dedupe }),
    secrets: secret === undefined ? [] : [secret, secret.replace(/^whsec_/, '')],
    known: knownOf({ given, auth, listener, url }),
  }
}
