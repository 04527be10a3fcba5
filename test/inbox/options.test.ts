import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type InboxOptions, inbox, type WorkOptions } from '../../src/inbox/index.ts'
import { hmacListener } from '../support/hmac-listener.ts'

const client = { query: async () => [] }

describe('inbox()', () => {
  it.each<[string, unknown]>([
    ['table', 'a"b'],
    ['table', 'x'.repeat(53)],
    ['leaseMs', 0],
    ['leaseMs', 2_147_483_648],
    ['leaseMs', '60'],
    ['maxAttempts', 0],
    ['maxAttempts', 1.5],
    ['retentionMs', -1],
    ['lease', 1],
  ])('inbox() refuses a wrong %s: %j', (name, value) => {
    const options = { [name]: value } as InboxOptions // the wrong ones of plain JavaScript
    expect(() => inbox(client, options)).toThrow(expect.objectContaining({ option: name }))
  })

  it('inbox() refuses what is no client', () => {
    expect(() => inbox({} as never)).toThrow(/is not a known Postgres client/)
  })

  it.each<[string, unknown]>([
    ['concurrency', 0],
    ['pollMs', 0],
    ['pollMs', 2_147_483_648],
    ['maxRunMs', 'x'],
    ['drainMs', Number.NaN],
    ['delayMs', 5],
    ['random', 0.5],
    ['onError', 'x'],
    ['concurency', 1],
  ])('work() refuses a wrong %s: %j', (name, value) => {
    const { listener } = hmacListener()
    const options = { [name]: value } as WorkOptions // the wrong ones of plain JavaScript
    expect(() => inbox(client).work(listener, () => {}, options)).toThrow(
      expect.objectContaining({ option: name }),
    )
  })

  it('work() refuses what is no listener or no handler', () => {
    const { listener } = hmacListener()
    expect(() => inbox(client).work({} as never, () => {})).toThrow(/result of defineListener/)
    expect(() => inbox(client).work(listener, undefined as never)).toThrow(/handler: must be a function/)
  })
})

describe('what a worker tells, without a hook', () => {
  const away = { query: () => Promise.reject(new Error('of a stranger')) }

  it('the console gets one line, with the code alone', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { listener } = hmacListener({ id: 'a\nb' })
    const worker = inbox(away).work(listener, () => {}, { pollMs: 1 })
    onTestFinished(() => worker.stop())
    await expect.poll(() => warn.mock.calls.length).toBe(1)
    await worker.stop()
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^hookgate: inbox of listener "a\\nb": away, ERR_INBOX\./)],
    ])
    expect(`${warn.mock.calls}`).not.toContain('stranger')
  })

  it('the listener’s onError is told, and null is silent', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const onError = vi.fn()
    const { listener } = hmacListener({ onError })
    const told = inbox(away).work(listener, () => {}, { pollMs: 1 })
    const silent = inbox(away).work(listener, () => {}, { pollMs: 1, onError: null })
    await expect.poll(() => onError.mock.calls.length).toBe(1)
    await Promise.all([told.stop(), silent.stop()])
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: 'of a stranger' }), {
      listenerId: 'L1',
      durationMs: 0,
    })
    expect(onError).toHaveBeenCalledTimes(1)
    expect(warn).not.toHaveBeenCalled()
  })
})
