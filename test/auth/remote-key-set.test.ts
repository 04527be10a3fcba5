import { describe, expect, it } from 'vitest'
import { verify } from '../../src/index.ts'
import { remoteKeySet } from '../../src/jwt.ts'
import { fakeClock } from '../support/clock.ts'
import { ACCEPTED, invalid, jwtSender, remoteSender, unavailable } from '../support/jwt-listener.ts'
import { keyHost, respondWith, secureKeyHost } from '../support/key-host.ts'
import { newKey } from '../support/keys.ts'
import { itOutsideWorkerd } from '../support/runtime.ts'

const KEY = newKey('ES256', 'first')
const NEXT = newKey('ES256', 'next')
const ONLY_FIRST = { keys: [KEY.publicKey] }
const BOTH = { keys: [KEY.publicKey, NEXT.publicKey] }
const ONLY_NEXT = { keys: [NEXT.publicKey] }
const UNKNOWN = invalid('no ES256 key has this kid')

describe('the URL of a remote key set', () => {
  it.each([
    'http://keys.example/jwks.json',
    'http://localhost/jwks.json',
    'http://127.0.0.1/jwks.json',
    'file:///etc/passwd',
    'data:application/json,{"keys":[]}',
    'ftp://keys.example/jwks.json',
    'blob:https://keys.example/1',
    'javascript:1',
    'https://user:password@keys.example/jwks.json',
    'https://user@keys.example/jwks.json',
    'https://:password@keys.example/jwks.json',
    'keys.example/jwks.json',
    '/jwks.json',
    '',
  ])('the URL may not be %s', (url) => {
    const refusal = expect.objectContaining({ name: 'ListenerConfigError', option: 'url' })
    expect(() => remoteKeySet(url)).toThrowError(refusal)
    if (URL.canParse(url)) expect(() => remoteKeySet(new URL(url))).toThrowError(refusal)
  })

  it('the error about a URL does not show its password', () => {
    expect(() => remoteKeySet('https://user:hunter22@keys.example/')).toThrowError(/^(?!.*hunter22)/)
  })

  it.each(['http://localhost:1/', 'http://127.0.0.1:1/', 'http://127.255.0.9:1/', 'http://[::1]:1/'])(
    'the URL may be %s with allowInsecureLoopback',
    (url) => {
      expect(remoteKeySet(url, { allowInsecureLoopback: true })).toMatchObject({ find: expect.any(Function) })
      expect(() => remoteKeySet(url, { allowInsecureLoopback: false })).toThrowError(/^url: must be https:/)
    },
  )

  it.each([
    'http://keys.example/',
    'http://127.0.0.1.example/',
    'http://localhost.example/',
    'http://notlocalhost/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::ffff:10.0.0.1]/',
    'file://localhost/etc/passwd',
    'ftp://localhost/jwks.json',
    'ws://127.0.0.1/jwks.json',
    'wss://localhost/jwks.json',
    'http://user:password@localhost/',
  ])('the URL may not be %s even with allowInsecureLoopback', (url) => {
    expect(() => remoteKeySet(url, { allowInsecureLoopback: true })).toThrowError(/^url: must/)
  })

  it.each([
    ['timeoutSeconds', 0],
    ['timeoutSeconds', -1],
    ['timeoutSeconds', Number.NaN],
    ['timeoutSeconds', Number.POSITIVE_INFINITY],
    ['maxStaleSeconds', 0],
    ['maxStaleSeconds', '60'],
    ['allowInsecureLoopback', 1],
    ['fetch', 'fetch'],
    ['clock', 0],
    ['timeout', 5],
  ])('remoteKeySet throws for the option %s: %j', (name, value) => {
    expect(() => remoteKeySet('https://keys.example', { [name]: value })).toThrowError(
      expect.objectContaining({ name: 'ListenerConfigError', option: name }),
    )
  })

  it('remoteKeySet throws for a misspelt option, and names the nearest', () => {
    const call = () => remoteKeySet('https://keys.example', { timeout: 5 } as object)
    expect(call).toThrow('timeout: remoteKeySet has no such option; did you mean timeoutSeconds?')
  })

  it('remoteKeySet fetches nothing before a token needs it', async () => {
    const { host } = await remoteSender(KEY, ONLY_FIRST)
    expect(host.requests).toBe(0)
  })
})

itOutsideWorkerd('its TLS servers have no socket')(
  'over TLS accepts a token by a key from an https host',
  async () => {
    const host = await secureKeyHost(ONLY_FIRST)
    const { send } = jwtSender(KEY, { keySet: remoteKeySet(host.url, { fetch: host.fetch }) })
    expect(await send()).toMatchObject(ACCEPTED)
    expect(await send({ header: { kid: 'other' } })).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(1)
  },
)

itOutsideWorkerd('its TLS servers have no socket')(
  'over TLS does not talk to a host whose certificate nobody vouches for',
  async () => {
    const host = await secureKeyHost(ONLY_FIRST)
    await expect(jwtSender(KEY, { keySet: remoteKeySet(host.url) }).send()).rejects.toMatchObject(
      unavailable(/fetch failed|certificate/),
    )
    expect(host.requests).toBe(0)
  },
)

it.each([
  ['message', new Error('getaddrinfo ENOTFOUND keys.example'), 'getaddrinfo ENOTFOUND keys.example'],
  ['code', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
])(
  "the error says why a fetch failed by the %s of its cause, because fetch's own message does not",
  async (_, cause, why) => {
    const failure = new TypeError('fetch failed', { cause })
    const fetch = () => Promise.reject(failure)
    const keySet = remoteKeySet('https://keys.example/jwks.json', { fetch })
    await expect(jwtSender(KEY, { keySet }).send()).rejects.toMatchObject({
      message: `https://keys.example/jwks.json fetch failed: ${why}`,
      cause: failure,
    })
  },
)

describe('rotation', () => {
  it('a remote key set accepts the first token of a new key after one fetch, once the pause of 30 s is over', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = BOTH
    clock.advance(29_999)
    expect(await send({ key: NEXT })).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(1)
    clock.advance(1)
    expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
  })

  it('a remote key set takes a new key under an old kid', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    const successor = newKey('ES256', 'first')
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = { keys: [successor.publicKey] }
    clock.advanceSeconds(600)
    expect(await send({ key: successor })).toMatchObject(ACCEPTED)
    expect(await send()).toMatchObject(invalid('the signature does not verify'))
  })

  it('a remote key set refuses a removed key as soon as a set without it was seen', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = ONLY_NEXT
    clock.advanceSeconds(30)
    expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    expect(await send()).toMatchObject(UNKNOWN)
  })

  it('a remote key set refuses a removed key after 10 minutes at the latest', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = ONLY_NEXT
    clock.advanceSeconds(600)
    expect(await send()).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(2)
  })

  it('a remote key set never brings back a withdrawn key while the host is down', async () => {
    const { clock, host, send } = await remoteSender(KEY, BOTH)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = ONLY_NEXT
    clock.advanceSeconds(600)
    expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    host.answer = respondWith(500)
    for (let hour = 0; hour < 23; hour += 1) {
      clock.advanceSeconds(3_600)
      await expect(send()).rejects.toMatchObject(unavailable(/status 500/, 30))
      expect(await send({ key: NEXT })).toMatchObject(ACCEPTED)
    }
  })

  it('a new key that cannot be fetched is undecided until a fetch succeeds: accepted if the set has it, else refused', async () => {
    const { clock, deliver, host, listener, send } = await remoteSender(KEY, ONLY_FIRST)
    const [genuine, forged] = [deliver({ key: NEXT }), deliver({ header: { kid: 'invented' } })]
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = respondWith(500)
    clock.advance(30_000)
    const undecided = async (waitSeconds: number) => {
      for (const delivery of [genuine, forged]) {
        await expect(verify(delivery, listener)).rejects.toMatchObject(unavailable(/status 500/, waitSeconds))
      }
      expect(await send()).toMatchObject(ACCEPTED)
      expect(host.requests).toBe(2)
    }
    await undecided(30)
    host.answer = BOTH
    clock.advance(29_999)
    await undecided(1)
    clock.advance(1)
    expect(await verify(genuine, listener)).toMatchObject(ACCEPTED)
    expect(await verify(forged, listener)).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(3)
  })

  it('a renewal that failed in the background leaves an unknown key undecided, and one that succeeded refuses it', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    await send()
    for (const [answer, isDecided] of [
      [respondWith(500), false],
      [ONLY_FIRST, true],
    ] as const) {
      host.answer = answer
      clock.advanceSeconds(300)
      const { requests } = host
      expect(await send()).toMatchObject(ACCEPTED)
      await expect.poll(() => host.requests).toBe(requests + 1)
      const asked = send({ key: NEXT })
      if (isDecided) expect(await asked).toMatchObject(UNKNOWN)
      else await expect(asked).rejects.toMatchObject(unavailable(/status 500/))
      expect(host.requests).toBe(requests + 1)
    }
  })

  it("a remote key set asks again before it uses an old set, whatever the last attempt's outcome", async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = respondWith(500)
    clock.advanceSeconds(700)
    expect(await send()).toMatchObject(ACCEPTED)
    host.answer = ONLY_NEXT
    clock.advanceSeconds(20 * 3_600)
    expect(await send()).toMatchObject(UNKNOWN)
    expect(host.requests).toBe(3)
  })
})

describe('one fetch for many', () => {
  it('a remote key set makes one fetch for 500 first requests at once', async () => {
    const { host, send } = await remoteSender(KEY, ONLY_FIRST)
    const verdicts = await Promise.all(Array.from({ length: 500 }, () => send()))
    expect(verdicts.filter((verdict) => verdict.ok)).toHaveLength(500)
    expect(host.requests).toBe(1)
  })

  it('a remote key set makes one fetch for 500 requests at once after the set has expired', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    await send()
    clock.advanceSeconds(600)
    const verdicts = await Promise.all(Array.from({ length: 400 }, () => send()))
    expect(verdicts.filter((verdict) => verdict.ok)).toHaveLength(400)
    expect(host.requests).toBe(2)
  })

  it('a remote key set lets requests join a fetch that is under way', async () => {
    const host = await keyHost(() => {})
    const answered = new Promise<() => void>((resolve) => {
      host.answer = (_, response) => resolve(() => response.end(JSON.stringify(BOTH)))
    })
    const keySet = remoteKeySet(host.url, { allowInsecureLoopback: true, fetch: host.fetch })
    const { send } = jwtSender(KEY, { keySet })
    const first = send()
    const answer = await answered
    const others = [send({ key: NEXT }), send({ header: { kid: 'other' } })]
    answer()
    expect(await Promise.all([first, ...others])).toMatchObject([ACCEPTED, ACCEPTED, UNKNOWN])
    expect(host.requests).toBe(1)
  })
})

describe('freshness', () => {
  it.each(['max-age=0, no-store', 'max-age=31536000, immutable', 'no-cache', 'max-age=-1'])(
    'a remote key set does not depend on Cache-Control: %s',
    async (policy) => {
      const headers = { 'cache-control': policy, expires: '0', age: '99999' }
      const { clock, host, send } = await remoteSender(
        KEY,
        respondWith(200, JSON.stringify(ONLY_FIRST), headers),
      )
      for (const seconds of [0, 1, 59, 60, 179]) {
        clock.advanceSeconds(seconds)
        expect(await send()).toMatchObject(ACCEPTED)
      }
      expect(host.requests).toBe(1)
      clock.advanceSeconds(301)
      expect(await send()).toMatchObject(ACCEPTED)
      expect(host.requests).toBe(2)
    },
  )

  it('a remote key set renews a set in use after 5 minutes, and no request waits for it', async () => {
    const { clock, host, send } = await remoteSender(KEY, ONLY_FIRST)
    expect(await send()).toMatchObject(ACCEPTED)
    clock.advance(299_999)
    expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(1)
    const asked = new Promise<() => void>((resolve) => {
      host.answer = (_, response) => {
        resolve(() => response.end(JSON.stringify(BOTH)))
      }
    })
    clock.advance(1)
    expect(await send()).toMatchObject(ACCEPTED)
    const answer = await asked
    clock.advanceSeconds(5)
    expect(await send()).toMatchObject(ACCEPTED)
    const waiting = send({ key: NEXT })
    answer()
    expect(await waiting).toMatchObject(ACCEPTED)
    clock.advanceSeconds(299)
    expect(await send()).toMatchObject(ACCEPTED)
    expect(host.requests).toBe(2)
  })

  it('the 5 minutes of a set begin when its fetch has ended', async () => {
    const clock = fakeClock()
    let fetches = 0
    const fetch = async () => {
      fetches += 1
      clock.advanceSeconds(4)
      return Response.json(ONLY_FIRST)
    }
    const keySet = remoteKeySet('https://keys.example', { fetch, clock })
    await keySet.find('first', 'ES256')
    clock.advance(299_999)
    await keySet.find('first', 'ES256')
    expect(fetches).toBe(1)
    clock.advance(1)
    await keySet.find('first', 'ES256')
    expect(fetches).toBe(2)
  })

  it('a set in use is renewed at 5 minutes and not a millisecond before; waitUntil is given each fetch', async () => {
    const clock = fakeClock()
    const kept: Promise<unknown>[] = []
    let fetches = 0
    const fetch = async () => {
      fetches += 1
      return Response.json(ONLY_FIRST)
    }
    const options = { fetch, clock, waitUntil: (work: Promise<unknown>) => kept.push(work) }
    const keySet = remoteKeySet('https://keys.example', options)
    await keySet.find('first', 'ES256')
    clock.advance(299_999)
    await keySet.find('first', 'ES256')
    expect([fetches, kept.length]).toEqual([1, 1])
    clock.advance(1)
    await keySet.find('first', 'ES256')
    expect([fetches, kept.length]).toEqual([2, 2])
    await Promise.all(kept)
  })
})
