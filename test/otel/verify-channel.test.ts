import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createReceiverInSteps } from '../../adapters/kit/receiver-in-steps.ts'
import { type EventStore, EventStoreError, verify } from '../../src/index.ts'
import { traceVerify } from '../../src/report.ts'
import { Verification } from '../../src/verification.ts'
import { checkAndClaim } from '../../src/verify.ts'
import { endsOf, recordChannel } from '../support/channel-recorder.ts'
import { hmacListener, SECRET, withHeaders } from '../support/hmac-listener.ts'
import { jwtSender } from '../support/jwt-listener.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'
import { ES256_KEY, slackHandshake } from './senders.ts'

const CAUSE = new Error(`ECONNREFUSED redis://:${SECRET}@127.0.0.1`)
const broken: EventStore = {
  claim: () => Promise.reject(CAUSE),
  commit: () => Promise.reject(CAUSE),
  release: () => Promise.reject(CAUSE),
}

describe('hookgate:verify', () => {
  it('the channel starts with the listener, the source and the size, and ends with the verdict', async () => {
    const moments = recordChannel('verify')
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ sourceIp: '192.0.2.1', body: '{"a":1}' })
    const verdict = await verify(delivery, listener)
    const atStart = {
      listenerId: 'L1',
      sourceIp: '192.0.2.1',
      bodyBytes: 7,
      durationMs: expect.any(Number),
      outcome: 'undecided',
    }
    expect(moments).toEqual([
      { at: 'start', fields: atStart },
      {
        at: 'asyncEnd',
        fields: {
          ...atStart,
          outcome: 'accepted',
          eventId: verdict.ok ? verdict.event.id : '',
          auth: { method: 'hmac', keyId: 'main' },
          result: undefined, // Node adds this field
        },
      },
    ])
  })

  it('the channel has the reason of a refusal', async () => {
    const moments = recordChannel('verify')
    const { listener, deliver } = hmacListener()
    const delivery = await deliver()
    await verify(delivery, listener)
    await verify(delivery, listener)
    await verify(withHeaders(delivery, { 'webhook-signature': 'x' }), listener)
    expect(endsOf(moments)).toMatchObject([
      { outcome: 'accepted' },
      { outcome: 'refused', reason: 'event_in_progress', auth: { method: 'hmac', keyId: 'main' } },
      { outcome: 'refused', reason: 'signature_mismatch' },
    ])
    expect(endsOf(moments)[2]?.auth).toBeUndefined()
  })

  it('the channel says that a verdict beside an old check is not enforced', async () => {
    const moments = recordChannel('verify')
    const { listener, deliver } = hmacListener()
    const verification = new Verification(await deliver(), listener)
    verification.isEnforced = false
    await traceVerify(verification, checkAndClaim)
    await verify(await deliver(), listener)
    expect(endsOf(moments).map((fields) => Reflect.get(fields, 'enforced'))).toEqual([false, undefined])
  })

  it('the channel reports undecided when the store fails, with the name and the message of the error', async () => {
    const moments = recordChannel('verify')
    const { listener, deliver } = hmacListener({ store: broken })
    await expect(verify(await deliver(), listener)).rejects.toThrow(EventStoreError)
    const error = { name: 'EventStoreError', message: 'the event store failed to claim' }
    expect(moments.map(({ at }) => at)).toEqual(['start', 'error', 'asyncEnd'])
    expect(endsOf(moments)).toMatchObject([{ outcome: 'undecided', error }])
  })

  it('the channel says which key of the key set a token was signed with', async () => {
    const moments = recordChannel('verify')
    await jwtSender(ES256_KEY).send()
    expect(endsOf(moments)).toMatchObject([
      { outcome: 'accepted', auth: { method: 'jwt', keyId: ES256_KEY.keyId } },
    ])
  })

  it('the channel tells a handshake from a refusal', async () => {
    const moments = recordChannel('verify')
    const { delivery, listener } = slackHandshake()
    expect(await verify(await delivery, listener)).toMatchObject({ handshake: true })
    expect(endsOf(moments)).toMatchObject([{ outcome: 'handshake', reason: undefined }])
  })

  it('the channel has two operations and one verdict if the claim is a separate step', async () => {
    const moments = recordChannel('verify')
    let now = 1
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => void vi.restoreAllMocks())
    const { listener, deliver } = hmacListener()
    const { method, header, body } = await deliver()
    const takesTime = (name: string) => {
      now += 1
      return header(name)
    }
    const incoming = {
      ...{ method, header: takesTime, sourceIp: () => undefined },
      ...{ readBody: async () => body, whenGone: () => {} },
    }
    const { receive, claim } = createReceiverInSteps(listener)
    const checked = await receive({}, incoming)
    if (checked.reply) throw new Error('it is accepted')
    const checkedAt = now
    now += 60_000 // a hook between the two
    await claim(checked)
    expect(endsOf(moments).map(({ outcome }) => outcome)).toEqual(['checked', 'accepted'])
    expect(endsOf(moments).map(({ durationMs }) => durationMs)).toEqual([checkedAt - 1, checkedAt - 1])
  })

  itOutsideWorkerd('its tracing channels run no store that was bound')(
    'runs the checks in the store that a subscriber binds, and what follows outside of it',
    async () => {
      const storage = new AsyncLocalStorage<string>()
      const { start } = tracingChannel('hookgate:verify')
      start.bindStore(storage, () => 'inside')
      onTestFinished(() => void start.unbindStore(storage))
      const seen: (string | undefined)[] = []
      const { listener, deliver } = hmacListener({ onVerdict: () => seen.push(storage.getStore()) })
      await verify(await deliver(), listener)
      seen.push(storage.getStore())
      expect(seen).toEqual(['inside', undefined])
    },
  )
})

describe('nothing published', () => {
  it('no message holds a secret, a signature, a token, a claim, a body or a cause', async () => {
    const channels = [recordChannel('verify'), recordChannel('store'), recordChannel('keys')]
    const body = '{"card":"4111111111111111"}'
    const { listener, deliver } = hmacListener()
    const delivery = await deliver({ body })
    const verdict = await verify(delivery, listener)
    if (verdict.ok) await verdict.event.commit()
    await verify(
      await hmacListener({ store: broken }).deliver({ body }),
      hmacListener({ store: broken }).listener,
    ).catch(() => {})
    const sender = jwtSender(ES256_KEY)
    const signed = sender.deliver({ body, claims: { email: 'ada@example.org' } })
    await verify(signed, sender.listener)
    const published = inspect(channels, { depth: 20, showHidden: true, maxArrayLength: null })
    expect(published).toContain('hmac')
    expect(published).toContain('jwt')
    const texts = [
      SECRET,
      '4111111111111111',
      'ada@example.org',
      'ECONNREFUSED',
      `${delivery.header('webhook-signature')}`,
      `${signed.header('authorization')}`.slice(-40),
    ]
    for (const text of texts) {
      expect(text.length).toBeGreaterThan(8)
      expect(published).not.toContain(text)
    }
  })
})
