import {
  defineListener,
  type EventStore,
  hmac,
  type Listener,
  type ListenerOptions,
} from '../../src/index.ts'
import { jwt, type KeySet, localKeySet } from '../../src/jwt.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type SignedRequest, type SignOptions, signHmac, signJwt } from '../../src/testing/index.ts'
import type { Recipe } from '../suites/runtimes/wire/protocol.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { SECRET } from './hmac-listener.ts'
import { newKey } from './keys.ts'
import { Log } from './log.ts'
import type { Header, RawRequest } from './raw-http.ts'

export const SUBJECT = 'https://tenant.example'
export const AUDIENCE = 'https://tenant.example/api/v1/webhooks/incoming/L1'

/** By lower-case name. Undefined removes a header, an array repeats it. */
export interface HeaderChanges {
  readonly [name: string]: string | readonly string[] | undefined
}

/** How a request differs from a plain valid one. */
export interface Given extends Partial<SignOptions> {
  readonly path?: string
  readonly method?: string
  /** Changed after signing: see `changed`. */
  readonly headers?: HeaderChanges
  /** Claims to add to the token or to replace. */
  readonly claims?: { readonly [claim: string]: unknown }
}

/** A listener on a stopped clock, with logs of its actions, and a sender with valid keys. */
export interface Endpoint {
  readonly listener: Listener
  readonly clock: FakeClock
  /** The calls of the store, e.g. `claim <event id>`. */
  readonly calls: Log<string>
  /** `accepted`, or the reason. */
  readonly verdicts: Log<string>
  /** How long each verdict took, in milliseconds. */
  readonly durations: Log<number>
  /** The errors passed to `onError`. */
  readonly failures: Log<unknown>
  /** Finds the listener for every path, and logs the path. */
  lookup(path: string): Listener
  /** The paths that were looked up. */
  readonly lookups: Log<string>
  /** A request as its sender writes it. */
  request(given?: Given): Promise<RawRequest>
}

type Sign = (options: SignOptions, given: Given, clock: FakeClock) => Promise<SignedRequest>

type MakeStore = (clock: FakeClock) => EventStore

const newMemoryStore: MakeStore = (clock) => memoryStore({ clock, maxRecords: 1000 })

/** `sign` makes a request as the listener's sender would. */
export function endpoint(
  auth: ListenerOptions['auth'],
  sign: Sign,
  options: Partial<ListenerOptions>,
  makeStore = newMemoryStore,
): Endpoint {
  const clock = fakeClock()
  const calls = new Log<string>()
  const verdicts = new Log<string>()
  const durations = new Log<number>()
  const failures = new Log<unknown>()
  const lookups = new Log<string>()
  const listener = defineListener({
    id: 'L1',
    auth,
    clock,
    onVerdict: (verdict, { durationMs }) => {
      durations.add(durationMs)
      verdicts.add(verdict.ok ? 'accepted' : (verdict.reason ?? 'handshake'))
    },
    onError: (error) => failures.add(error),
    ...options,
    store: watched(options.store ?? makeStore(clock), calls),
  })
  const request = async (given: Given = {}): Promise<RawRequest> => {
    const { path = '/hook', body = '{"a":1}', timestamp = clock.seconds(), eventId } = given
    const signed = await sign({ body, timestamp, eventId }, given, clock)
    const headers = Object.entries(signed.headers)
    return changed(
      { method: given.method ?? 'POST', path, headers, body: Buffer.from(signed.body) },
      given.headers ?? {},
    )
  }
  const lookup = (path: string) => {
    lookups.add(path)
    return listener
  }
  return { listener, clock, calls, verdicts, durations, failures, lookup, lookups, request }
}

/** How each endpoint's authenticator was made, for runtimes that must make their own. */
export const recipes: WeakMap<object, Recipe> = new WeakMap()
const keySets = new WeakMap<object, KeySet>()
export const NAMES = { subject: SUBJECT, audience: AUDIENCE }

export function recipeOf(auth: object): Recipe {
  return recipes.get(auth) ?? { names: NAMES, keys: [] }
}

export function keySetOf(auth: object): KeySet | undefined {
  return keySets.get(auth)
}

export function hmacEndpoint(options: Partial<ListenerOptions> = {}, makeStore?: MakeStore): Endpoint {
  const auth = hmac({ secrets: { id: 'main', secret: SECRET } })
  recipes.set(auth, { secret: SECRET, names: NAMES, keys: [] })
  return endpoint(auth, (signing) => signHmac({ secret: SECRET, ...signing }), options, makeStore)
}

/** One key for the whole file, because the tests are not about keys. */
const KEY = newKey('ES256', 'k1')

/** `keySetFrom` may put something between the listener and the sender's keys. */
export async function jwtEndpoint(
  options: Partial<ListenerOptions> = {},
  keySetFrom: (keys: KeySet) => KeySet = (keys) => keys,
): Promise<Endpoint> {
  const { privateKey, publicKey } = KEY
  const keySet = keySetFrom(localKeySet({ keys: [publicKey] }))
  const auth = jwt({ ...NAMES, keySet })
  recipes.set(auth, { names: NAMES, keys: [publicKey] })
  keySets.set(auth, keySet)
  const sign: Sign = (signing, { claims }, clock) =>
    signJwt({ ...NAMES, privateKey, ...signing, claims: { exp: clock.seconds() + 300, ...claims } })
  return endpoint(auth, sign, options)
}

/** Logs the calls of the store. */
function watched(store: EventStore, calls: Log<string>): EventStore {
  return {
    claim(key, ...rest) {
      calls.add(`claim ${key.eventId}`)
      return store.claim(key, ...rest)
    },
    commit(key, ...rest) {
      calls.add(`commit ${key.eventId}`)
      return store.commit(key, ...rest)
    },
    release(key, ...rest) {
      calls.add(`release ${key.eventId}`)
      return store.release(key, ...rest)
    },
    ...(store.commitIn && { commitIn: store.commitIn }),
    ...(store.accepted && { accepted: (...given) => store.accepted?.(...given) }),
    ...(store.renew && {
      renew(key, ...rest) {
        calls.add(`renew ${key.eventId}`)
        return store.renew?.(key, ...rest) ?? false
      },
    }),
  }
}

/** The value of a header in a request as it will be sent. */
export function sentHeader(request: RawRequest, name: string): string {
  const found = request.headers.find(([candidate]) => candidate === name)
  if (found === undefined) throw new Error(`the request has no ${name}`)
  return found[1]
}

/** The same request with other headers. */
export function changed(request: RawRequest, changes: HeaderChanges): RawRequest {
  const kept = request.headers.filter(([name]) => !Object.hasOwn(changes, name))
  const added = Object.entries(changes).flatMap(([name, value]) =>
    [value ?? []].flat().map((text): Header => [name, text]),
  )
  return { ...request, headers: [...kept, ...added] }
}
