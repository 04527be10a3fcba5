import { afterEach, expect, it, vi } from 'vitest'
import { reportFailure, warnOfFailure, warnOfRefusal } from '../../adapters/kit/warn.ts'
import { defineListener, EventStoreError } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { fakeClock } from '../support/clock.ts'

afterEach(() => void vi.restoreAllMocks())

function flooded(id: string) {
  const clock = fakeClock(1_785_480_000_000)
  const auth = stripe({ secrets: 'whsec_failure-flood-0123456789abcdef' })
  const listener = defineListener({ id, auth, store: memoryStore({ clock, maxRecords: 1 }), clock })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  let reads = 0
  /** Counts what is read of its cause. */
  const failure = (message: string) => {
    const cause = Object.defineProperty(new Error(), 'message', {
      get: () => {
        reads += 1
        return message
      },
    })
    return new EventStoreError('the event store failed to claim', { cause })
  }
  const said = () => warn.mock.calls.map(([line]) => `${line}`)
  return { clock, listener, failure, said, reads: () => reads }
}

it.each([
  ['one message', () => 'the same'],
  ['messages that never come again', (index: number) => `${index}`],
])('of a flood of failures with %s, few are read', (name, messageOf) => {
  const { listener, failure, reads, said } = flooded(`flood of ${name}`)
  for (let index = 0; index < 10_000; index++)
    warnOfFailure(listener, 'ERR_EVENT_STORE', failure(messageOf(index)))
  expect(reads()).toBeLessThan(500)
  expect(said().length).toBeLessThanOrEqual(40)
})

it('a flood of one failure hides no other cause for more than a second', () => {
  const { clock, listener, failure, said } = flooded('hides no cause')
  for (let index = 0; index < 1000; index++) warnOfFailure(listener, 'ERR_EVENT_STORE', failure('away'))
  clock.advance(1000)
  warnOfFailure(listener, 'ERR_EVENT_STORE', failure('another'))
  expect(said()).toEqual([expect.stringContaining('(away)'), expect.stringContaining('(another)')])
})

it('a flood of failures hides neither another code nor a refusal', () => {
  const { listener, failure, said } = flooded('hides no code')
  for (let index = 0; index < 1000; index++) warnOfFailure(listener, 'ERR_EVENT_STORE', failure(`${index}`))
  const before = said().length
  warnOfFailure(listener, 'ERR_KEY_SET', failure('another'))
  const delivery = { method: 'POST', header: () => undefined, body: new Uint8Array(), sourceIp: undefined }
  warnOfRefusal({ delivery, listener }, { ok: false, reason: 'auth_missing', status: 401, detail: '' })
  expect(said().slice(before)).toEqual([
    expect.stringContaining('ERR_KEY_SET: '),
    expect.stringContaining('auth_missing'),
  ])
})

it('a failure whose members throw is told, and throws nothing', () => {
  const { listener, failure, said } = flooded('throws nothing')
  const throws = {
    get(): never {
      throw new Error('no')
    },
  }
  reportFailure(listener, new Proxy(failure(''), throws), { durationMs: 0 })
  expect(said()).toEqual([expect.stringContaining('ERR_LISTENER_CONFIG: an error without a message')])
})
