import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Incoming } from '../../adapters/kit/incoming.ts'
import { createReceiver, fromWeb } from '../../adapters/kit/index.ts'
import { Seats } from '../../adapters/kit/seats.ts'
import {
  type Authenticator,
  type Delivery,
  defineListener,
  hmac,
  type Listener,
  type Verdict,
  verify,
} from '../../src/index.ts'
import { github } from '../../src/schemes/github.ts'
import { rfc9421 } from '../../src/schemes/rfc9421.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'
import { Verification } from '../../src/verification.ts'
import { check } from '../../src/verify.ts'
import { es256Listener } from '../support/es256-listener.ts'
import { hmacListener, SECRET, withHeaders } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'
import { turnsOf } from '../support/turns-of.ts'

const MB = 1_048_576
const json = (length: number) => `{"a":"${'x'.repeat(length - 8)}"}`
const maxBodyBytes = 32 * MB
const secretsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `It's a secret to everybody, ${index}`)

function githubListener(secrets: readonly string[], heard: string[] = []): Listener {
  return defineListener({
    id: 'g',
    auth: github({ secrets }),
    store: memoryStore({ maxRecords: 100 }),
    maxBodyBytes,
    onVerdict: (verdict) => heard.push(verdict.ok ? 'accepted' : `${verdict.reason}`),
    onError: (error) => heard.push(`error: ${error}`),
  })
}

async function fromGithub(secret: string, body: string): Promise<Delivery> {
  const headers = { 'x-github-event': 'push', 'x-github-delivery': crypto.randomUUID() }
  const request = await signAs(github, { secret, body })
  return withHeaders(toDelivery(request), headers)
}

/** A request whose body has arrived. `leave` ends its connection. */
function incoming({ method, header, body }: Delivery): Incoming & { leave(): void } {
  const gone: (() => void)[] = []
  return {
    method,
    header,
    sourceIp: () => undefined,
    readBody: async () => body,
    whenGone: (callback) => void gone.push(callback),
    leave() {
      for (const callback of gone) callback()
    },
  }
}

describe('a long body', () => {
  it.each([MB, MB + 1, 5 * MB])(
    'of %d bytes is accepted with the last of three secrets, and once',
    async (length) => {
      const secrets = secretsOf(3)
      const listener = githubListener(secrets)
      const delivery = await fromGithub(secrets[2] ?? '', json(length))
      const event = await acceptedEvent(delivery, listener)
      expect(event.auth).toMatchObject({ secretId: 'secret-3' })
      expect(event.payload).toEqual({ a: 'x'.repeat(length - 8) })
      await event.commit()
      expect(await outcome(delivery, listener)).toBe('200 event_duplicate')
    },
  )

  it('is claimed by the hash of its bytes, as a short one is', async () => {
    const listener = githubListener(secretsOf(1))
    for (const length of [100, 2 * MB]) {
      const delivery = await fromGithub(secretsOf(1)[0] ?? '', json(length))
      const verification = new Verification(delivery, listener)
      expect(await check(verification)).toBeUndefined()
      const digest = createHash('sha256').update(delivery.body).digest('hex')
      expect(verification.claimKeys.map((key) => key.slice(0, 8))).toEqual([digest.slice(0, 8)])
    }
  })

  it('of 25 MB with a wrong signature lets others run a hundred times', async () => {
    const listener = githubListener(secretsOf(1))
    const delivery = await fromGithub('another secret than that', json(25 * MB))
    let verdict: Verdict | undefined
    const work = verify(delivery, listener).then((known) => {
      verdict = known
    })
    expect(await turnsOf(work)).toBeGreaterThanOrEqual(99)
    expect(verdict).toMatchObject({ status: 401, reason: 'signature_mismatch' })
  })

  it('lets others run as often for each secret, and for several deliveries at once', async () => {
    const listener = githubListener(secretsOf(2))
    const deliveries = await Promise.all(
      [1, 2, 3].map((each) => fromGithub(`a wrong secret ${each}`, json(2 * MB))),
    )
    const work = Promise.all(deliveries.map((delivery) => outcome(delivery, listener)))
    expect(await turnsOf(work)).toBeGreaterThanOrEqual(3 * 2 * 8 - 1)
    expect(new Set(await work)).toEqual(new Set(['401 signature_mismatch']))
  })

  it('is refused by hmac() with the reason of a short one, and accepted if it is right', async () => {
    const { listener, deliver } = hmacListener({ maxBodyBytes })
    const long = await deliver({ body: json(2 * MB) })
    const wrong = withHeaders(long, { 'webhook-signature': 'A'.repeat(43) })
    expect(await outcome(wrong, listener)).toBe('401 signature_mismatch')
    const event = await acceptedEvent(long, listener)
    expect(event.payload).toEqual({ a: 'x'.repeat(2 * MB - 8) })
  })

  it.each(['null', '0', '""'])('of spaces around %s has that payload', async (text) => {
    const { listener, deliver } = hmacListener({ maxBodyBytes })
    const event = await acceptedEvent(await deliver({ body: text.padEnd(2 * MB) }), listener)
    expect(event.payload).toBe(JSON.parse(text))
  })

  it('holds nothing parsed until its sender is known', async () => {
    const { authenticate } = hmac({ secrets: SECRET })
    let held: unknown = 'not asked'
    const auth: Authenticator = {
      method: 'hmac',
      async authenticate(evidence) {
        await undefined
        held = Reflect.get(evidence, 'payload')
        return authenticate(evidence)
      },
    }
    const { listener, deliver } = hmacListener({ maxBodyBytes, auth })
    const request = incoming(await deliver({ body: json(2 * MB) }))
    const received = await createReceiver(listener).receiveAndClaim({}, request)
    expect(held).toBeUndefined()
    expect(received).toMatchObject({ event: { payload: { a: 'x'.repeat(2 * MB - 8) } } })
  })

  it('has the payload that its schema makes of it, also if that is null', async () => {
    const validate = async () => ({ value: null })
    const payload = { '~standard': { version: 1, vendor: 'test', validate } } as const
    const { listener, deliver } = hmacListener({ maxBodyBytes, payload })
    const request = incoming(await deliver({ body: json(2 * MB) }))
    const received = await createReceiver(listener).receiveAndClaim({}, request)
    expect(received).toHaveProperty('event.payload', null)
  })

  it('is accepted with a JWT that names its hash', async () => {
    const { listener, deliver } = await es256Listener({ maxBodyBytes })
    const delivery = await deliver({ body: json(2 * MB) })
    expect(
      await outcome({ ...delivery, body: delivery.body.map((byte, at) => (at === 9 ? 65 : byte)) }, listener),
    ).toBe('401 token_invalid')
    expect((await acceptedEvent(delivery, listener)).payload).toEqual({ a: 'x'.repeat(2 * MB - 8) })
  })
})

describe('a sender that leaves', () => {
  it('ends the computation of its signature, and is told as incomplete, to onVerdict and not to onError', async () => {
    const heard: string[] = []
    const { receiveAndClaim } = createReceiver(githubListener(secretsOf(20), heard), {
      maxConcurrentBodies: 1,
    })
    const request = incoming(await fromGithub('another secret than that', json(5 * MB)))
    const received = receiveAndClaim({}, request)
    setImmediate(() => setImmediate(() => request.leave()))
    // 20 secrets would take 400 turns.
    expect(await turnsOf(received)).toBeLessThan(20)
    expect((await received).reply).toMatchObject({ status: 400 })
    expect(heard).toEqual(['body_incomplete'])
  })

  it('gives its place back', async () => {
    const secrets = secretsOf(20)
    const { receiveAndClaim } = createReceiver(githubListener(secrets), { maxConcurrentBodies: 1 })
    const request = incoming(await fromGithub('another secret than that', json(5 * MB)))
    const received = receiveAndClaim({}, request)
    const next = await fromGithub(secrets[0] ?? '', '{"a":1}')
    expect(await receiveAndClaim({}, incoming(next))).toMatchObject({ reply: { status: 503 } })
    request.leave()
    await received
    expect(await receiveAndClaim({}, incoming(next))).toHaveProperty('event')
  })

  it('changes nothing once its delivery is authentic', async () => {
    const heard: string[] = []
    const secrets = secretsOf(1)
    const { receiveAndClaim } = createReceiver(githubListener(secrets, heard))
    const delivery = await fromGithub(secrets[0] ?? '', json(2 * MB))
    const request = incoming(delivery)
    expect(await receiveAndClaim({}, request)).toHaveProperty('event')
    request.leave()
    expect(heard).toEqual(['accepted'])
    expect(await outcome(delivery, githubListener(secrets))).toBe('accepted')
  })

  // The digest of the body is known, and the signature over it, which is computed in the thread pool, is not.
  it('in the middle of a check that is authentic after all ends what is hashed next, and onError hears nothing', async () => {
    const heard: string[] = []
    const [secret = ''] = secretsOf(1)
    const publicUrl = 'https://example.com/hooks'
    const { receiveAndClaim } = createReceiver(
      defineListener({
        id: 'r',
        auth: rfc9421({ secrets: secret, publicUrl }),
        store: memoryStore({ maxRecords: 100 }),
        maxBodyBytes,
        onVerdict: (verdict) => heard.push(verdict.ok ? 'accepted' : `${verdict.reason}`),
        onError: (error) => heard.push(`error: ${error}`),
      }),
    )
    const delivery = toDelivery(await signAs(rfc9421, { secret, publicUrl, body: json(2 * MB) }))
    let asked = 0
    const request = incoming({
      ...delivery,
      header(name) {
        if (name === 'content-type' && ++asked === 2) request.leave()
        return delivery.header(name)
      },
    })
    expect((await receiveAndClaim({}, request)).reply).toMatchObject({ status: 400 })
    expect(heard).toEqual(['body_incomplete'])
  })
})

describe('a body that arrives in many chunks', () => {
  const chunks = Array.from({ length: 160 }, () => new Uint8Array(65_536).fill(97))
  const stream = (end = false) => {
    let next = 0
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = chunks[next++ % (end ? Number.POSITIVE_INFINITY : chunks.length)]
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      },
    })
  }
  const read = (body: ReadableStream<Uint8Array>, limit: number) => {
    const request = new Request('https://example.com', { method: 'POST', body, duplex: 'half' })
    const seat = new Seats(10, 100 * MB, 1000).take({ whenGone() {} })
    return fromWeb(request).readBody(limit, 10_000, seat)
  }

  it('of a web request is joined in turns', async () => {
    const reading = read(stream(true), 10 * MB)
    expect(await turnsOf(reading)).toBeGreaterThanOrEqual(40)
    expect(Buffer.concat(chunks).equals(await reading)).toBe(true)
  })

  it('is not joined when it is too long, because only its length matters', async () => {
    const bodies = await Promise.all([read(stream(), 5 * MB), read(stream(), 5 * MB)])
    expect(bodies.map(({ length }) => length)).toEqual([5 * MB + 1, 5 * MB + 1])
    expect(bodies[0]?.buffer === bodies[1]?.buffer).toBe(true)
  })
})
