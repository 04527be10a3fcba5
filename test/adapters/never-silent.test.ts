import { afterEach, describe, expect, it, vi } from 'vitest'
import { defineListener, type EventStore, EventStoreError, type ListenerOptions } from '../../src/index.ts'
import { slack } from '../../src/schemes/slack.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { exchange, type RawRequest, toBytes } from '../support/raw-http.ts'
import { TARGETS } from '../support/servers.ts'

const SECRET = 'whsec_never-silent-0123456789abcdef'
const NOW = 1_785_480_000_000
const PAGE = 'https://github.com/hookgate/hookgate/blob/main/docs/errors.md'

let listeners = 0

/** A Stripe endpoint without hooks, each with an ID of its own, and what is written to the console. */
async function endpoint(
  start: (typeof TARGETS)[string],
  options: Partial<ListenerOptions> = {},
  handle?: () => number,
) {
  listeners += 1
  const id = `quiet-${listeners}`
  const clock = fakeClock(NOW)
  const store = memoryStore({ clock, maxRecords: 10 })
  const listener = defineListener({ id, auth: stripe({ secrets: SECRET }), store, clock, ...options })
  const { address } = await start({ target: listener, listener, ...(handle && { handle }) })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const deliver = async (secret = SECRET, body = '{"id":"evt_1","type":"invoice.paid"}') => {
    const signed = await signAs(stripe, { secret, body, timestamp: clock.now() / 1000 })
    return send({ ...signed, path: '/', headers: Object.entries(signed.headers), body: Buffer.from(body) })
  }
  const send = async (request: RawRequest) => (await exchange(address, toBytes(request)))?.status
  // What earlier files of this process have started may still write.
  const isOwn = (line: string) => line.includes(JSON.stringify(id))
  return { id, clock, deliver, send, said: () => warn.mock.calls.map(([line]) => `${line}`).filter(isOwn) }
}

afterEach(() => void vi.restoreAllMocks())

const failing: EventStore = {
  claim: () => Promise.reject(new Error('the password is open sesame')),
  commit: () => Promise.reject(new Error('not reached')),
  release: async () => true,
}

describe.each(Object.entries(TARGETS))('a listener without hooks on %s', (_, start) => {
  it('the listener writes one line for a refusal: its ID, the reason and the page, and nothing that a stranger wrote', async () => {
    const { id, deliver, said } = await endpoint(start)
    expect(await deliver('whsec_another-secret-0123456789abcdef', '{"id":"evt_1","type":"forged"}')).toBe(401)
    expect(said()).toEqual([
      `hookgate: listener "${id}" refused a delivery: signature_mismatch. What to do: check the secret, and that nothing changes the body first; see ${PAGE}#signature_mismatch (set onVerdict for the details, or null for silence)`,
    ])
  })

  it('the listener writes the line again after a minute, and another reason at once', async () => {
    const { clock, deliver, send, said } = await endpoint(start)
    const wrong = () => deliver('whsec_another-secret-0123456789abcdef')
    await wrong()
    clock.advance(59_999)
    await wrong()
    expect(said()).toHaveLength(1)
    await send({ method: 'GET', path: '/', headers: [], body: Buffer.of() })
    expect(said()).toHaveLength(2)
    clock.advance(1)
    await wrong()
    expect(said()).toHaveLength(3)
  })

  it('the listener writes nothing for accepted events, duplicates and events in progress', async () => {
    const { deliver, said } = await endpoint(start, {}, () => 503)
    expect(await deliver()).toBe(503)
    expect(await deliver()).toBe(503) // in progress
    const done = await endpoint(start)
    expect([await done.deliver(), await done.deliver()]).toEqual([200, 200])
    expect([...said(), ...done.said()]).toEqual([])
  })

  it('the listener writes nothing for a handshake', async () => {
    const auth = slack({ secrets: SECRET })
    const { clock, send, said } = await endpoint(start, { auth })
    const body = '{"type":"url_verification","challenge":"c"}'
    const signed = await signAs(slack, { secret: SECRET, body, timestamp: clock.now() / 1000 })
    const request = { ...signed, path: '/', headers: Object.entries(signed.headers), body: Buffer.from(body) }
    expect(await send(request)).toBe(200)
    expect(said()).toEqual([])
  })

  it('the listener writes the code, the message and the cause of a failure, without what may be secret', async () => {
    const { id, deliver, said } = await endpoint(start, { store: failing })
    expect(await deliver()).toBe(503)
    expect(said()).toEqual([
      `hookgate: listener "${id}" failed: ERR_EVENT_STORE: the event store failed to claim (the password …). What to do: ${PAGE}#err_event_store (set onError for the details, or null for silence)`,
    ])
  })

  it('the listener writes another cause at once, the same one again after a minute, and no flood of them', async () => {
    let message = 'first'
    const claim = () => Promise.reject(new Error(message))
    const { clock, deliver, said } = await endpoint(start, { store: { ...failing, claim } })
    await deliver()
    await deliver()
    expect(said()).toEqual([expect.stringContaining('(first)')])
    message = 'second'
    await deliver()
    expect(said()).toEqual([expect.anything(), expect.stringContaining('(second)')])
    clock.advance(60_000)
    await deliver()
    expect(said()).toHaveLength(3)
    for (message = 'x'; message.length < 60; message += 'x') await deliver()
    expect(said()).toHaveLength(42)
  })

  it('the listener writes that its handler redirected, which releases the event', async () => {
    const { deliver, said } = await endpoint(start, {}, () => 302)
    await deliver()
    await expect
      .poll(() => said())
      .toEqual([expect.stringContaining('failed: ERR_REDIRECTED: the handler answered 302, a redirect')])
  })

  it('the listener is silent if its hooks are null', async () => {
    const { deliver, said } = await endpoint(start, { onVerdict: null, onError: null, store: failing })
    expect(await deliver('whsec_another-secret-0123456789abcdef')).toBe(401)
    expect(await deliver()).toBe(503)
    expect(said()).toEqual([])
  })

  it('the listener is silent about what its hooks hear, of a store that is down with its cause', async () => {
    const heard: unknown[] = []
    const onVerdict = () => {}
    const onError = (error: unknown) => heard.push(error)
    const { deliver, said } = await endpoint(start, { onVerdict, onError, store: failing })
    expect(await deliver('whsec_another-secret-0123456789abcdef')).toBe(401)
    expect(await deliver()).toBe(503)
    expect(said()).toEqual([])
    expect(heard).toEqual([expect.any(EventStoreError)])
    expect(heard[0]).toHaveProperty('cause.message', 'the password is open sesame')
  })
})

describe('however many listeners there are', () => {
  const [auth, store] = [stripe({ secrets: SECRET }), memoryStore({ maxRecords: 1 })]
  const verdict = { ok: false, reason: 'auth_missing', status: 401, detail: '' } as const
  const delivery = { method: 'POST', header: () => undefined, body: new Uint8Array(), sourceIp: undefined }

  /** Listeners, and what refuses a delivery at each, or fails. Days apart, because the process remembers the lines of a minute. */
  async function tenants(count: number, day: number) {
    const { reportFailure, warnOfRefusal } = await import('../../adapters/kit/warn.ts')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const clock = fakeClock(NOW + day * 86_400_000)
    const listeners = Array.from({ length: count }, (_, index) =>
      defineListener({ id: `tenant-${day}-${index}`, auth, store, clock }),
    )
    const refuse = (from = 0, to = count) => {
      for (const listener of listeners.slice(from, to)) warnOfRefusal({ delivery, listener }, verdict)
    }
    const fail = (from = 0, to = count) => {
      const error = new EventStoreError('the event store failed to claim')
      for (const listener of listeners.slice(from, to)) reportFailure(listener, error, { durationMs: 0 })
    }
    return { clock, refuse, fail, lines: () => warn.mock.calls.length }
  }

  it('a thousand refusals are written in a minute', async () => {
    const { clock, refuse, lines } = await tenants(1002, 1)
    refuse(0, 1001)
    refuse(0, 1001)
    expect(lines()).toBe(1000)
    clock.advance(59_999)
    refuse(1001)
    expect(lines()).toBe(1000)
    clock.advance(1)
    refuse(1001)
    expect(lines()).toBe(1001)
    clock.advance(60_000)
    refuse()
    expect(lines()).toBe(2001)
  })

  it('a thousand failures are written beside as many refusals, which strangers can cause', async () => {
    const { refuse, fail, lines } = await tenants(1001, 2)
    refuse()
    expect(lines()).toBe(1000)
    fail()
    expect(lines()).toBe(2000)
  })

  it('what was told of the last thousand is remembered', async () => {
    const { refuse, fail, lines } = await tenants(1001, 3)
    fail(0, 1)
    refuse(1, 1000)
    fail(0, 1)
    expect(lines()).toBe(1000)
    refuse(1000)
    fail(0, 1)
    expect(lines()).toBe(1002)
  })
})
