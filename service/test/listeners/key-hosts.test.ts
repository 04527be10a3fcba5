import { expect, it } from 'vitest'
import { fakeClock } from '../../../test/support/clock.ts'
import { keyHost, respondWith } from '../../../test/support/key-host.ts'
import { newKey } from '../../../test/support/keys.ts'
import { tenantKeySet } from '../../src/listeners/key-hosts.ts'

const key = newKey('ES256')
const keys = { keys: [{ ...key.publicKey, kid: 'known' }] }

async function watchedHost() {
  const host = await keyHost(keys)
  const clock = fakeClock()
  const lines: string[] = []
  const keySet = tenantKeySet(host.url, { allowPrivateJwks: true, clock, log: (line) => lines.push(line) })
  const find = async (kid: string) => {
    try {
      return typeof (await keySet.find(kid, 'ES256')) === 'string' ? 'none' : 'found'
    } catch {
      return 'undecided'
    }
  }
  return { host, clock, find, said: () => lines.splice(0).map((line) => line.split(':', 1)[0]) }
}

it('a key host is logged once when it fails and once when it is back, at every outage', async () => {
  const { host, clock, find, said } = await watchedHost()
  expect([await find('known'), said()]).toStrictEqual(['found', []])
  for (const outage of [respondWith(500), respondWith(200, 'no JSON')]) {
    host.answer = outage
    clock.advanceSeconds(31)
    for (const kid of ['a', 'b', 'c']) expect(await find(kid)).toBe('undecided')
    expect(said()).toStrictEqual(['its key host is unavailable'])
    host.answer = keys
    clock.advanceSeconds(31)
    expect([await find('a'), await find('b'), said()]).toStrictEqual([
      'none',
      'none',
      ['its key host is back'],
    ])
  }
})

it('a key host is not called back while tokens pass with its last good keys', async () => {
  const { host, clock, find, said } = await watchedHost()
  await find('known')
  host.answer = respondWith(500)
  for (let round = 0; round < 5; round += 1) {
    clock.advanceSeconds(31)
    expect([await find('unknown'), await find('known')]).toStrictEqual(['undecided', 'found'])
  }
  expect(said()).toStrictEqual(['its key host is unavailable'])
})
