import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Refreshed } from '../../src/lib/refreshed.ts'
import { IN_WORKERD } from '../support/runtime.ts'

/** A load without a timeout is lost after 1 s of grace. */
const LONGEST_MS = 1000

function flightOf(load: () => Promise<void>) {
  const kept: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void kept.push(promise)
  return { flight: new Refreshed(load, { timeoutMs: 0, clock: Date, waitUntil }), kept }
}

it('shared work is shared while in flight, and ends for all callers at once', async () => {
  let end = () => {}
  const { flight, kept } = flightOf(() => new Promise((resolve) => (end = resolve)))
  expect(flight.join()).toBeUndefined()
  const begun = flight.begin()
  expect([flight.begin(), flight.isLost()]).toEqual([undefined, false])
  const joined = flight.join()
  end()
  await Promise.all([begun, joined])
  expect([flight.isLost(), flight.join()]).toEqual([false, undefined])
  expect(kept).toEqual([begun])
})

it('shared work counts as lost after its time limit in workerd, and is only late elsewhere', async () => {
  const { flight } = flightOf(() => new Promise(() => {}))
  void flight.begin()
  const joined = flight.join()?.then(() => 'over')
  expect(await Promise.race([joined, pause(LONGEST_MS + 300, 'waits')])).toBe(IN_WORKERD ? 'over' : 'waits')
  expect(flight.isLost()).toBe(IN_WORKERD)
  expect(flight.begin() !== undefined).toBe(IN_WORKERD)
})

it('shared work never rejects, and starts again, if its work rejects or `waitUntil` throws', async () => {
  let runs = 0
  const work = async () => {
    runs += 1
    throw new Error('the clock is broken')
  }
  const refuse = () => {
    throw new Error('outside of a request')
  }
  const flight = new Refreshed(work, { timeoutMs: 0, clock: Date, waitUntil: refuse })
  await flight.begin()
  await flight.begin()
  expect(runs).toBe(2)
})
