import { describe, expect, it } from 'vitest'
import { endsOf, recordChannel } from '../support/channel-recorder.ts'
import { remoteSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const KEY = newKey('ES256', 'first')
const KEYS = { keys: [KEY.publicKey] }
const FRESH_MS = 600_000

const triggers = (moments: Parameters<typeof endsOf>[0]) => endsOf(moments).map(({ trigger }) => trigger)

describe('hookgate:keys', () => {
  it('the channel has a start and an end for each fetch of a key set, with its URL and the number of keys', async () => {
    const moments = recordChannel('keys')
    const { host, send } = await remoteSender(KEY, KEYS)
    await send()
    await send()
    const url = `${host.url}?token=secret`.split('?')[0]
    expect(moments).toEqual([
      { at: 'start', fields: { url, trigger: 'first', keys: undefined } },
      { at: 'asyncEnd', fields: { url, trigger: 'first', keys: 1, result: undefined } },
    ])
  })

  it.each([
    ['a kid missing from the fresh set', 40_000, 'other', 'unknown_kid'],
    ['a set that expires soon', FRESH_MS / 2, 'first', 'early'],
    ['a set that has expired', FRESH_MS, 'first', 'expired'],
  ])('the channel says that a fetch was made for %s', async (_, age, kid, trigger) => {
    const moments = recordChannel('keys')
    const { clock, host, send } = await remoteSender(KEY, KEYS)
    await send()
    clock.advance(age)
    await send({ header: { kid } })
    await expect.poll(() => triggers(moments)).toEqual(['first', trigger])
    expect(host.requests).toBe(2)
  })

  it('the channel reports a failed fetch with its error', async () => {
    const moments = recordChannel('keys')
    const { send } = await remoteSender(KEY, (_, response) => void response.writeHead(500).end())
    await expect(send()).rejects.toThrow('status 500')
    expect(endsOf(moments)).toMatchObject([
      { trigger: 'first', keys: undefined, error: { name: 'Error', message: 'answered with status 500' } },
    ])
  })

  it("the channel omits the URL's query, because some hosts have a token there", async () => {
    const moments = recordChannel('keys')
    const { remoteKeySet } = await import('../../src/jwt.ts')
    const keySet = remoteKeySet('https://keys.example/jwks?token=hunter22', {
      fetch: () => Promise.reject(new Error('no network in this test')),
    })
    await Promise.resolve()
      .then(() => keySet.find('first', 'ES256'))
      .catch(() => {})
    expect(endsOf(moments)).toMatchObject([{ url: 'https://keys.example/jwks' }])
    expect(JSON.stringify(moments)).not.toContain('hunter22')
  })
})
