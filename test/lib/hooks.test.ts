import { expect, it, vi } from 'vitest'
import { callHook } from '../../src/lib/hooks.ts'

it('calls the hook with what it is given, and does nothing without one', () => {
  const hook = vi.fn()
  callHook(hook, 1, 'two')
  callHook(undefined)
  expect(hook.mock.calls).toStrictEqual([[1, 'two']])
})

it('swallows what the hook throws, now or later', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  callHook(() => {
    throw new Error('now')
  })
  callHook(() => Promise.reject(new Error('later')))
  callHook(async () => {
    throw new Error('later')
  })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

it('does not wait', () => {
  expect(callHook(() => new Promise(() => {}))).toBeUndefined()
})
