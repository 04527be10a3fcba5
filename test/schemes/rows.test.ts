import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../src/index.ts'
import { rowsOf } from '../../src/schemes/kit/header-families.ts'
import type { Scheme, SenderScheme } from '../../src/schemes/kit/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { SCHEME_NAMES, schemeFactory } from '../support/schemes.ts'

const rows = await Promise.all(
  SCHEME_NAMES.map(async (name) => {
    const factory = await schemeFactory(name)
    return { name, factory, scheme: factory.scheme }
  }),
)

/** Schemes that sign a template with a shared secret and put the signature into a header. */
const shared = rows.filter(({ scheme: { algorithm, signs, signature } }) => {
  return /^hmac|^token$/.test(algorithm) && typeof signs === 'string' && signature.headers.length > 0
})

const SECRETS = {
  text: 'client_id&a-secret-of-this-test',
  hex: 'a1'.repeat(32),
  base64: btoa('k'.repeat(32)),
} as const
const PUBLIC_URL = 'https://receiver.example/hooks'

function secretFor({ key }: Scheme): string {
  return typeof key === 'string' ? SECRETS[key] : `whsec_${SECRETS.base64}`
}

const isSignedIn = ({ signs }: Scheme, name: string) => typeof signs !== 'string' || signs.includes(name)

/** Delivers the same body twice with different IDs, and returns how many of the two run. */
async function runs({ factory, scheme }: (typeof rows)[number], second: { eventId: string }) {
  const listener = defineListener({
    id: scheme.name,
    auth: factory({
      secrets: secretFor(scheme),
      ...(isSignedIn(scheme, '{url}') && typeof scheme.signs === 'string' && { publicUrl: PUBLIC_URL }),
    }),
    store: memoryStore(),
  })
  const body = { webhookTimestamp: Date.now(), made: 'up', history_items: [{ id: 'one' }] }
  const sign = (eventId: string) =>
    signAs(factory, { secret: secretFor(scheme), publicUrl: PUBLIC_URL, body, eventId, timestamp: seconds })
  const seconds = Math.floor(Date.now() / 1000)
  const first = await verify(toDelivery(await sign('the-first-id')), listener)
  if (first.ok) await first.event.commit()
  const again = await verify(toDelivery(await sign(second.eventId)), listener)
  return [first.ok, again.ok].filter(Boolean).length
}

describe('every row', () => {
  it.each(rows)(
    '$name documents its sender, the name of its secret and its unsigned parts',
    ({ name, scheme }) => {
      expect(scheme.name).toBe(name)
      expect(scheme.sender).toMatch(/^[A-Z]|^(?:incident\.io|monday\.com|hookgate gateway)$/) // they write themselves so
      expect(scheme.secretName.length).toBeGreaterThan(5)
      expect(scheme.limits).toMatch(/\.$/)
      expect(scheme.maxBodyBytes).toBeLessThanOrEqual(26_214_400)
      for (const header of scheme.signature.headers) expect(header).toBe(header.toLowerCase())
    },
  )

  it.each(rows.filter(({ scheme }) => scheme.dedupe === 'off'))(
    '$name documents that it allows replays',
    ({ scheme }) => expect(scheme.limits).toMatch(/replay/),
  )

  it.each(rows.filter(({ scheme }) => /sha1/.test(scheme.algorithm)))(
    '$name uses SHA-1 only because its sender has nothing stronger',
    ({ name }) =>
      expect([
        'braintree',
        'front-rules',
        'help-scout',
        'intercom',
        'mandrill',
        'segment',
        'surveymonkey',
        'trello',
        'twilio',
        'vercel',
        'webex',
      ]).toContain(name),
  )

  it.each(shared)('$name refuses an empty, blank or missing secret', ({ factory }) => {
    for (const secrets of [undefined, '', ' ', [], [''], { id: 'main', secret: '' }]) {
      expect(() => factory({ secrets, publicUrl: PUBLIC_URL })).toThrow(/^secrets/)
    }
  })

  it.each(shared)('$name refuses an unknown option', ({ factory, scheme }) => {
    const given = { secrets: secretFor(scheme), secret: 'misspelt' }
    expect(() => factory(given as never)).toThrow(/no such option/)
  })
})

describe('a captured delivery under another ID', () => {
  const unsignedIds = shared.filter(({ scheme }) => {
    const { algorithm, dedupe, eventId } = scheme
    const isHeader = eventId !== undefined && 'header' in eventId
    return algorithm !== 'token' && dedupe !== 'off' && (!isHeader || !isSignedIn(scheme, '{id}'))
  })

  it.each(unsignedIds)(
    'a captured delivery of $name does not run again: an unsigned ID is never the only key',
    async (row) => {
      expect(await runs(row, { eventId: 'another-id' })).toBe(1)
    },
  )

  it.each(shared.filter(({ scheme }) => scheme.signs !== 'function' && isSignedIn(scheme, '{id}')))(
    'a captured delivery is another event with $name, whose IDs are signed',
    async (row) => expect(await runs(row, { eventId: 'another-id' })).toBe(2),
  )
})

/** What a delivery shows of its sender. If two senders share it and a secret, each accepts the other's deliveries. */
const wireOf = (scheme: SenderScheme) => {
  const { algorithm, signature, timestamp, eventId } = scheme
  const [signs, key] = scheme.algorithm === 'code' ? ['code'] : [scheme.signs, scheme.key]
  const signed = [isSigned(signs, '{timestamp}') && timestamp, isSigned(signs, '{id}') && eventId]
  return JSON.stringify([algorithm, signature, signs, key, signed], (name, value) =>
    name === 'prefixOptional' ? undefined : value,
  )
}

const isSigned = (signs: unknown, part: string) => typeof signs === 'string' && signs.includes(part)

/**
 * Rows that take the deliveries of others, whose rows do not take theirs: a token of Vapi may stand without `Bearer`, and RevenueCat sends
 * a token if it does not sign.
 */
const ALSO_TAKES: { readonly [name: string]: readonly string[] } = {
  revenuecat: ['auth0', 'okta'],
  vapi: ['auth0', 'okta'],
}

describe('a delivery of one sender', () => {
  const accepts = async (from: (typeof rows)[number], to: (typeof rows)[number]) => {
    const secret = secretFor(from.scheme)
    const request = await signAs(from.factory, {
      secret,
      publicUrl: PUBLIC_URL,
      body: { webhookTimestamp: Date.now() },
    })
    const takesUrl = typeof to.scheme.signs === 'string' && to.scheme.signs.includes('{url}')
    const listener = defineListener({
      id: 'other',
      auth: to.factory({ secrets: secret, ...(takesUrl && { publicUrl: PUBLIC_URL }) }),
      store: memoryStore(),
    })
    return (await verify(toDelivery(request), listener)).ok
  }

  it.each(shared)('a delivery of $name is accepted only by its own row and its kin', async (from) => {
    const kin = shared.filter(({ scheme }) => rowsOf(scheme).map(wireOf).includes(wireOf(from.scheme)))
    const sameKey = shared.filter(
      ({ scheme }) => JSON.stringify(scheme.key) === JSON.stringify(from.scheme.key),
    )
    const takers: string[] = []
    for (const to of sameKey) if (await accepts(from, to)) takers.push(to.name)
    const more = Object.keys(ALSO_TAKES).filter((name) => ALSO_TAKES[name]?.includes(from.name))
    expect(takers.toSorted()).toEqual([...kin.map(({ name }) => name), ...more].toSorted())
  })
})
