import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { defineListener, type EventStore, ListenerConfigError, verify } from '../../src/index.ts'
import { type Rfc9421Options, rfc9421 } from '../../src/schemes/rfc9421.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { DUPLICATE } from '../support/scheme-receiver.ts'

const SECRETS = ['the former secret', 'the new secret'] as const
const PUBLIC_URL = 'https://receiver.example/hooks'
const BODY = '{"type":"made.up"}'
const digestOf = (body: string, name = 'sha-256') =>
  `${name}=:${createHash(name.replace('-', '')).update(body).digest('base64')}:`

interface Made {
  readonly components?: readonly string[]
  readonly created?: number
  readonly more?: string
  readonly secret?: string
}

/** A sender that signs each delivery several times, and a receiver that commits what it accepts. */
function receiver(
  options: Partial<Rfc9421Options> = {},
  { clock = fakeClock(), ...more }: { readonly toleranceSeconds?: number; readonly clock?: FakeClock } = {},
  store: EventStore = memoryStore({ clock, replayWindowSeconds: 2001 }),
) {
  const auth = rfc9421({ secrets: SECRETS, publicUrl: PUBLIC_URL, ...options })
  const listener = defineListener({ id: 'a-sender', auth, store, clock, ...more })

  async function send(
    signatures: readonly Made[],
    fields: { readonly [name: string]: string } = {},
    body = BODY,
    digest = digestOf(body),
  ) {
    const headers: { [name: string]: string } = { 'content-digest': digest, ...fields }
    const values: { [name: string]: string } = { '@method': 'POST', '@target-uri': PUBLIC_URL, ...headers }
    const signed = signatures.map(({ components = [], created, more = '', secret = SECRETS[1] }, index) => {
      const names = [...components, 'content-digest']
      const input = `(${names.map((name) => `"${name}"`).join(' ')});created=${created ?? clock.seconds()}${more}`
      const lines = names.map((name) => `"${name}": ${values[name]}\n`).join('')
      const mac = createHmac('sha256', secret).update(`${lines}"@signature-params": ${input}`, 'latin1')
      return { input: `s${index}=${input}`, signature: `s${index}=:${mac.digest('base64')}:` }
    })
    headers['signature-input'] = signed.map(({ input }) => input).join(', ')
    headers.signature = signed.map(({ signature }) => signature).join(', ')
    const header = (name: string) => headers[name]
    const verdict = await verify(
      { method: 'POST', header, body: Buffer.from(body), sourceIp: undefined },
      listener,
    )
    if (verdict.ok) await verdict.event.commit()
    return verdict
  }
  return { clock, send }
}

const at = (seconds: number) => fakeClock().seconds() + seconds

it.each<[string, Made, Made]>([
  ['with another nonce', { more: ';nonce="a"' }, { more: ';nonce="b"' }],
  ['with a nonce and without', { more: ';nonce="a"' }, {}],
  ['in another second', { created: at(0) }, { created: at(1) }],
  ['at both ends of the window', { created: at(-300) }, { created: at(300) }],
  [
    'over its components in another order',
    { components: ['@method', 'date'] },
    { components: ['date', '@method'] },
  ],
  ['over more components', { components: ['@method'] }, { components: ['@method', '@target-uri', 'date'] }],
  ['over other components', { components: ['date'] }, { components: ['@target-uri'] }],
  ['with another key', { secret: SECRETS[0] }, { secret: SECRETS[1] }],
  [
    'under another tag, with an end and an algorithm',
    { more: `;expires=${at(900)};tag="a"` },
    { more: ';alg="hmac-sha256"' },
  ],
])('a delivery that is signed twice %s runs once', async (_, first, second) => {
  const { clock, send } = receiver()
  const fields = { date: 'Tue, 20 Apr 2021 02:07:55 GMT' }
  expect(await send([first, second], fields)).toMatchObject({ ok: true })
  for (const signatures of [[first], [second], [second, first]]) {
    expect(await send(signatures, fields)).toMatchObject(DUPLICATE)
  }
  clock.advanceSeconds(299)
  const late = (second.created ?? 0) > at(0) ? second : { ...second, created: at(0) }
  expect(await send([late], fields)).toMatchObject(DUPLICATE)
})

it('an equal body is a duplicate for the replay window, and a new event after it', async () => {
  const { clock, send } = receiver()
  expect(await send([{}])).toMatchObject({ ok: true })
  clock.advanceSeconds(600)
  expect(await send([{}])).toMatchObject(DUPLICATE)
  clock.advanceSeconds(2)
  expect(await send([{}])).toMatchObject({ ok: true })
  expect(await send([{}], {}, '{"type":"another"}')).toMatchObject({ ok: true })
})

it('the replay window grows with toleranceSeconds', async () => {
  const { clock, send } = receiver({}, { toleranceSeconds: 1000 })
  const captured = { created: at(1000) }
  expect(await send([captured])).toMatchObject({ ok: true })
  clock.advanceSeconds(2000)
  expect(await send([captured])).toMatchObject(DUPLICATE)
  clock.advanceSeconds(1)
  expect(await send([captured])).toMatchObject({ reason: 'timestamp_out_of_range' })
})

it('retentionSeconds may be longer than the replay window, and never shorter', () => {
  const auth = rfc9421({ secrets: SECRETS, publicUrl: PUBLIC_URL })
  const listener = (retentionSeconds?: number) =>
    defineListener({ id: 'a', auth, store: memoryStore(), ...(retentionSeconds && { retentionSeconds }) })
  expect(listener().retentionMs).toBe(601_000)
  expect(listener(86_400).retentionMs).toBe(86_400_000)
  expect(() => listener(600)).toThrow(ListenerConfigError)
})

it('a signed ID among requiredComponents tells genuine equal bodies apart', async () => {
  const { send } = receiver({ requiredComponents: ['x-event-id'] })
  const [signature, more] = [{ components: ['x-event-id'] }, { components: ['@method', 'x-event-id'] }]
  expect(await send([signature], { 'x-event-id': '1' })).toMatchObject({ ok: true })
  expect(await send([signature], { 'x-event-id': '2' })).toMatchObject({ ok: true })
  expect(await send([signature], { 'x-event-id': '' })).toMatchObject({ ok: true })
  for (const id of ['1', '2', ''])
    expect(await send([more, signature], { 'x-event-id': id })).toMatchObject(DUPLICATE)
})

it('the values of two required components are not confused', async () => {
  const { send } = receiver({ requiredComponents: ['x-a', 'x-b'] })
  const signature = { components: ['x-a', 'x-b'] }
  expect(await send([signature], { 'x-a': '1', 'x-b': '23' })).toMatchObject({ ok: true })
  expect(await send([signature], { 'x-a': '12', 'x-b': '3' })).toMatchObject({ ok: true })
  expect(await send([signature], { 'x-a': '23', 'x-b': '1' })).toMatchObject({ ok: true })
})

it('the order of requiredComponents may change, and an event is known again', async () => {
  const clock = fakeClock()
  const store = memoryStore({ clock })
  const signature = { components: ['x-b', 'x-a'] }
  const fields = { 'x-a': '1', 'x-b': '2' }
  const before = receiver({ requiredComponents: ['x-a', 'x-b'] }, { clock }, store)
  expect(await before.send([signature], fields)).toMatchObject({ ok: true })
  const after = receiver({ requiredComponents: ['content-digest', 'x-b', 'x-a'] }, { clock }, store)
  expect(await after.send([signature], fields)).toMatchObject(DUPLICATE)
})

it.each([
  ['other algorithms', digestOf(BODY, 'sha-512')],
  ['both algorithms', `${digestOf(BODY)}, ${digestOf(BODY, 'sha-512')}`],
  ['both algorithms in the other order', `${digestOf(BODY, 'sha-512')}, ${digestOf(BODY)}`],
  ['an unknown algorithm beside it', `md5=:AAAA:, ${digestOf(BODY)}`],
])('a body is the same event under a Content-Digest by %s', async (_, digest) => {
  const { send } = receiver()
  expect(await send([{}], {}, BODY, digest)).toMatchObject({ ok: true })
  expect(await send([{}])).toMatchObject(DUPLICATE)
})

it.each([
  ['is of another body', digestOf('{}'), 'Content-Digest does not match the body'],
  [
    'is of another body by one algorithm',
    `${digestOf(BODY)}, ${digestOf('{}', 'sha-512')}`,
    'Content-Digest does not match the body',
  ],
  ['has only unknown algorithms', 'md5=:AAAA:, sha=:AAAA:', 'Content-Digest has neither sha-256 nor sha-512'],
  ['names its algorithm in capitals', digestOf(BODY).replace('sha', 'SHA'), 'Content-Digest is malformed'],
  ['repeats an algorithm', `${digestOf(BODY)}, ${digestOf(BODY)}`, 'Content-Digest is malformed'],
  ['is empty', '', 'no Content-Digest'],
])('a Content-Digest is refused that %s', async (_, digest, detail) => {
  expect(await receiver().send([{}], {}, BODY, digest)).toMatchObject({ status: 401, detail })
})

it.each<[string, Made]>([
  ['too old', { created: at(-301) }],
  ['too far ahead', { created: at(301) }],
  ['expired', { more: `;expires=${at(-1)}` }],
])('a signature that is %s does not spoil a good one, whichever comes first', async (_, bad) => {
  const good = { created: at(-5) }
  expect((await receiver().send([bad, good])).ok).toBe(true)
  expect((await receiver().send([good, bad])).ok).toBe(true)
  expect((await receiver().send([bad])).ok).toBe(false)
})
