import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import {
  type Delivery,
  defineListener,
  type EventAuth,
  type Handshake,
  hmac,
  type Json,
  type JwtClaims,
  type Reason,
  type RejectedStatus,
  type Verdict,
  verify,
  type WebhookEvent,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'

const base = {
  id: 'L1',
  auth: hmac({ secrets: { id: 'main', secret: 'x'.repeat(43) } }),
  store: memoryStore(),
}
declare const delivery: Delivery
declare const event: WebhookEvent

test('a verdict is narrowed by ok', async () => {
  const verdict = await verify(delivery, defineListener(base))
  expectTypeOf(verdict).toEqualTypeOf<Verdict<Json>>()
  if (verdict.ok) {
    expectTypeOf(verdict.event).toEqualTypeOf<WebhookEvent<Json>>()
    expectTypeOf(verdict.reason).toEqualTypeOf<undefined>()
  } else if (verdict.handshake) {
    expectTypeOf(verdict).toEqualTypeOf<Handshake>()
    // @ts-expect-error nothing was refused
    verdict.retryAfterSeconds
  } else {
    expectTypeOf(verdict.reason).toEqualTypeOf<Reason>()
    expectTypeOf(verdict.status).toEqualTypeOf<RejectedStatus>()
    expectTypeOf(verdict.status).toEqualTypeOf<200 | 400 | 401 | 403 | 405 | 409 | 503>()
    expectTypeOf(verdict.retryAfterSeconds).toEqualTypeOf<number | undefined>()
    // @ts-expect-error a refused delivery has no event
    verdict.event
  }
})

test('the payload has the type of the schema', async () => {
  const payload = z.object({ amount: z.string().transform(Number) })
  const verdict = await verify(delivery, defineListener({ ...base, payload }))
  if (verdict.ok) expectTypeOf(verdict.event.payload).toEqualTypeOf<{ amount: number }>()
})

test('auth is narrowed by its method', () => {
  const { auth } = event
  expectTypeOf(auth).toEqualTypeOf<EventAuth>()
  if (auth.method === 'hmac') {
    expectTypeOf(auth.secretId).toEqualTypeOf<string>()
    // @ts-expect-error a signature has no claims
    auth.claims
  } else if (auth.method === 'scheme') {
    expectTypeOf(auth.covers).toEqualTypeOf<'body' | 'values' | 'token' | 'nothing'>()
  } else if (auth.method === 'api') {
    expectTypeOf(auth.scheme).toEqualTypeOf<string>()
  } else {
    expectTypeOf(auth.method).toEqualTypeOf<'jwt'>()
    expectTypeOf(auth.claims).toEqualTypeOf<JwtClaims>()
    expectTypeOf(auth.claims.htm).toEqualTypeOf<'POST'>()
    expectTypeOf(auth.claims.tenant).toEqualTypeOf<unknown>()
    // @ts-expect-error a token is signed with a key, not with a secret
    auth.secretId
  }
})

test('a reason is one of a few words, so that a switch over them is complete', () => {
  expectTypeOf<'event_duplicate'>().toExtend<Reason>()
  expectTypeOf<'event_duplicated'>().not.toExtend<Reason>()
})

test('exactly one authentication method, and a store, are required', () => {
  // @ts-expect-error no authentication
  defineListener({ id: 'L1', store: memoryStore() })
  // @ts-expect-error no store
  defineListener({ id: 'L1', auth: base.auth })
  // @ts-expect-error two authentications
  defineListener({ ...base, auth: [base.auth, base.auth] })
  // @ts-expect-error misspelt
  defineListener({ ...base, allowedCidr: ['192.0.2.0/24'] })
})

test("commit and release resolve to the contract's answers", () => {
  expectTypeOf(event.commit()).resolves.toEqualTypeOf<'committed' | 'already' | 'lost'>()
  expectTypeOf(event.release()).resolves.toEqualTypeOf<boolean>()
})
