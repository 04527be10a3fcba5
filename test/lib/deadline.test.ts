import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { withDeadline } from '../../src/lib/clock.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'

const late = () => new Error('too late')

const itCounted = itOutsideWorkerd('it cannot tell its timers')

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

itCounted('gives what the work gives, and leaves no timer behind', async () => {
  const before = timers()
  expect(await withDeadline(Promise.resolve('done'), 60_000, late)).toBe('done')
  expect(timers()).toBe(before)
})

itCounted('rejects with what the work rejects with, and leaves no timer behind', async () => {
  const before = timers()
  const error = new Error('of the work')
  await expect(withDeadline(Promise.reject(error), 60_000, late)).rejects.toBe(error)
  expect(timers()).toBe(before)
})

it('the deadline rejects when it comes', async () => {
  await expect(withDeadline(new Promise(() => {}), 5, late)).rejects.toThrow('too late')
})

it('the deadline waits for work that ends in time', async () => {
  expect(await withDeadline(sleep(5, 'done'), 10_000, late)).toBe('done')
})

it('the deadline ignores work that ends or fails after the deadline', async () => {
  let fail: (error: Error) => void = () => {}
  const work = new Promise<never>((_, reject) => {
    fail = reject
  })
  const answer = withDeadline(work, 1, late)
  await expect(answer).rejects.toThrow('too late')
  fail(new Error('after its time'))
  await expect(answer).rejects.toThrow('too late')
})

it('the deadline makes the error only if it is needed', async () => {
  const make = vi.fn(late)
  await withDeadline(sleep(1), 10_000, make)
  expect(make).not.toHaveBeenCalled()
})
