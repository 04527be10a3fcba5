import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type DrainOptions, type InboxOptions, inbox, type WorkOptions } from '../../src/inbox/index.ts'
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

describe('drain()', () => {
  const drained = (options: object, { listener } = hmacListener()) =>
    inbox(client).drain(listener, () => {}, options as DrainOptions) // the wrong ones of plain JavaScript

  it.each<[string, unknown, RegExp]>([
    ['deadlineMs', 0, /such as 50_000/],
    ['deadlineMs', -1, /with none left, do not call it/],
    ['deadlineMs', Number.NaN, /such as 50_000/],
    ['deadlineMs', Number.POSITIVE_INFINITY, /such as 50_000/],
    ['deadlineMs', Date.UTC(2026, 0), /not a time of Date\.now\(\)/],
    ['deadlineMs', '50000', /such as 50_000/],
    ['concurrency', 0, /whole number above 0/],
    ['maxRunMs', 'x', /milliseconds/],
    ['delayMs', 5, /function/],
    ['random', 0.5, /function/],
    ['onError', 'x', /function/],
    ['pollMs', 50, /is an option of work\(\): .* leave it out/],
    ['drainMs', 50, /is an option of work\(\): drain\(\) takes deadlineMs/],
    ['deadline', 50, /did you mean deadlineMs\?/],
  ])('drain() refuses a wrong %s: %j', async (option, value, message) => {
    await expect(drained({ [option]: value })).rejects.toMatchObject({
      code: 'ERR_LISTENER_CONFIG',
      option,
      message: expect.stringMatching(message),
    })
  })

  it.each([1, 2_147_483_647])('drain() takes a deadline of %d ms', async (deadlineMs) => {
    await expect(drained({ deadlineMs })).rejects.toMatchObject({ code: 'ERR_EVENT_STORE' }) // of this client
  })

  it('drain() refuses what is no listener or no handler', async () => {
    const { listener } = hmacListener()
    const box = inbox(client)
    await expect(box.drain({} as never, () => {})).rejects.toThrow(/result of defineListener/)
    await expect(box.drain(listener, undefined as never)).rejects.toThrow(/handler: must be a function/)
    await expect(box.drain(listener, () => {}, null as never)).rejects.toThrow(/takes an object of options/)
  })
})

describe('what a worker tells, without a hook', () => {
  const away = { query: () => Promise.reject(new Error('connect ECONNREFUSED ::1:5432, said "a stranger"')) }

  it('the console gets one line, with the cause and its fix, and without what it quotes', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { listener } = hmacListener({ id: 'a\nb' })
    const worker = inbox(away).work(listener, () => {}, { pollMs: 1 })
    onTestFinished(() => worker.stop())
    await expect.poll(() => warn.mock.calls.length).toBe(1)
    await worker.stop()
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^hookgate: inbox of listener "a\\nb": away, ERR_INBOX: connect ECONNREFUSED ::1:5432, said "…": start the server, or correct its address\. What/,
        ),
      ],
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
    expect(onError).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringMatching(/ECONNREFUSED/) }),
      {
        listenerId: 'L1',
        durationMs: 0,
      },
    )
    expect(onError).toHaveBeenCalledTimes(1)
    expect(warn).not.toHaveBeenCalled()
  })
})
