import { expectTypeOf, test } from 'vitest'
import {
  type Authentication,
  type Authenticator,
  type AuthReason,
  defineListener,
  type EventStore,
  type Evidence,
  hmac,
  type Listener,
} from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'

/** An authentication method written by a user, with public imports only. */
class ApiKey implements Authenticator {
  readonly method = 'scheme'
  readonly #key: string

  constructor(key: string) {
    this.#key = key
  }

  async authenticate({ delivery }: Evidence): Promise<Authentication> {
    const given = delivery.header('x-api-key')
    if (given === undefined) return this.#refuse('auth_missing')
    if (given !== this.#key) return this.#refuse('signature_mismatch')
    return { method: 'scheme', scheme: 'api-key', secretId: 'main', covers: 'token' }
  }

  #refuse(reason: AuthReason): Authentication {
    return { reason, detail: 'the API key is missing or wrong' }
  }
}

declare const store: EventStore

test("users can write an authentication method with hookgate's exports", () => {
  const auth: Authenticator = new ApiKey('secret')
  expectTypeOf(defineListener({ id: 'orders', auth, store })).toExtend<Listener>()
  expectTypeOf(auth.authenticate).parameter(0).toEqualTypeOf<Evidence>()
})

test('its answer may only name a reason of a 401', () => {
  expectTypeOf<{ reason: 'token_expired'; detail: string }>().toExtend<Authentication>()
  // @ts-expect-error a check's reason, not an authentication method's
  const wrong: Authentication = { reason: 'body_too_large', detail: '' }
  void wrong
})

test('an environment variable is a secret, alone and while it is rotated: one that is not set throws', () => {
  const { NEW_SECRET, OLD_SECRET } = process.env
  expectTypeOf(hmac).toBeCallableWith({ secrets: NEW_SECRET })
  expectTypeOf(hmac).toBeCallableWith({ secrets: [NEW_SECRET, OLD_SECRET] })
  expectTypeOf(() => stripe({ secrets: [NEW_SECRET, OLD_SECRET] })).toBeFunction()
})
