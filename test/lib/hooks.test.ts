import { expect, it, vi } from 'vitest'
import { callHook } from '../../src/lib/hooks.ts'

it('callHook calls the hook with its argument, and does nothing without a hook', () => {
  const hook = vi.fn()
  callHook(hook, 1, 'two')
  callHook(undefined)
  expect(hook.mock.calls).toStrictEqual([[1, 'two']])
})

it('callHook swallows errors of the hook, synchronous or not', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  callHook(() => {
    throw new Error('now')
  })
  callHook(() => Promise.reject(new Error('later')))
  callHook(() => ({
    // biome-ignore lint/suspicious/noThenProperty: a hook may return one
    then() {
      throw new Error('later')
    },
  }))
  const withoutCatch = Promise.reject(new Error('later'))
  callHook(() => Object.assign(withoutCatch, { catch: undefined }))
  callHook(async () => {
    throw new Error('later')
  })
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

it('callHook does not wait', () => {
  expect(callHook(() => new Promise(() => {}))).toBeUndefined()
})
