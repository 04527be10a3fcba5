import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/fastify.ts'
import type { EventStore, ListenerOptions } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hmacEndpoint } from '../support/sender.ts'

/** A store that takes its time, over a network. */
function slowStore(done: string[], fails = false): EventStore {
  const store = memoryStore()
  const later = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
  return {
    claim: (...given) => store.claim(...given),
    async commit(...given) {
      await later()
      done.push('commit')
      if (fails) throw new Error('no store')
      return store.commit(...given)
    },
    async release(...given) {
      await later()
      done.push('release')
      return store.release(...given)
    },
  }
}

type Handle = (reply: FastifyReply) => unknown

/**
 * What the store has done when the answer is out, at which a host like AWS Lambda freezes the process. `inject` answers as
 * `@fastify/aws-lambda` does, which calls it.
 */
async function frozen(
  handle: Handle,
  setUp: (scope: FastifyInstance) => void = () => {},
  store: Partial<EventStore> = {},
  options: Partial<ListenerOptions> = {},
) {
  const done: string[] = []
  const endpoint = hmacEndpoint({
    store: { ...slowStore(done, options.onError === null), ...store },
    ...options,
  })
  const app = Fastify()
  onTestFinished(() => app.close())
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener: endpoint.listener })
    setUp(scope)
    scope.post('/hook', async (_request, reply) => handle(reply))
  })
  const { headers, body } = await endpoint.request()
  const send = () =>
    app.inject({
      method: 'POST',
      url: '/hook',
      headers: Object.fromEntries(headers),
      body: Buffer.from(body),
    })
  const { statusCode } = await send()
  return { answer: [statusCode, ...done], endpoint, done }
}

describe('a host that freezes once the answer is out', () => {
  it.each<readonly [string, Handle]>([
    ['an object', () => ({ received: true })],
    ['a text', () => 'received'],
    ['a Buffer', () => Buffer.from('received')],
    ['nothing', (reply) => void reply.code(204).send()],
    [
      'a Buffer that a callback sends',
      (reply) => {
        setImmediate(() => reply.send(Buffer.of(1)))
        return reply
      },
    ],
    [
      'what a handler sends, and returns later',
      async (reply) => {
        reply.send('received')
        await new Promise(setImmediate)
      },
    ],
    [
      'what a handler sends, and throws then',
      async (reply) => {
        reply.send('received')
        throw new Error('too late')
      },
    ],
  ])('the event is committed before the answer: %s', async (_, handle) => {
    const { answer } = await frozen(handle)
    expect(answer.slice(1)).toEqual(['commit'])
  })

  it('the event is released before the answer to a handler that throws', async () => {
    const { answer } = await frozen(() => {
      throw new Error('the handler fails')
    })
    expect(answer).toEqual([500, 'release'])
  })

  it('the event is settled once, and by the status that is sent', async () => {
    const { answer, done } = await frozen(
      () => 'ok',
      (scope) => {
        scope.addHook('onSend', async (_request, reply) => void reply.code(500))
      },
    )
    expect(answer).toEqual([500, 'release'])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(done).toEqual(['release'])
  })

  it('an event whose answer another hook fails is released', async () => {
    const { answer } = await frozen(
      () => 'ok',
      (scope) => {
        scope.addHook('onSend', async (_request, reply) => {
          if (reply.statusCode === 200) throw new Error('a hook fails')
        })
      },
    )
    expect(answer).toEqual([500, 'release'])
  })

  it('a timeout leaves the lease to lapse', async () => {
    expect((await frozen((reply) => reply.code(503).send('late'))).answer).toEqual([503])
  })

  it('a stream is settled at its end, because it may still fail', async () => {
    const { done } = await frozen(() => Readable.from(['a', 'b']))
    await expect.poll(() => done).toEqual(['commit'])
  })

  it("settle: 'manual' leaves it to the handler", async () => {
    expect((await frozen(() => 'ok', undefined, {}, { settle: 'manual' })).answer).toEqual([200])
  })

  it('a commit that fails is told once, and the answer stands', async () => {
    const fails = async () => {
      throw new Error('no store')
    }
    const { answer, endpoint } = await frozen(() => 'ok', undefined, { commit: fails })
    expect(answer).toEqual([200])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(endpoint.failures.entries).toEqual([expect.objectContaining({ code: 'ERR_EVENT_STORE' })])
  })

  it.each([
    ['keeps records', {}, 200],
    ['holds what the handler wrote', { accepted() {} }, 500],
    ['is an inbox', { accepted() {}, claimsAll: true }, 500],
  ])(
    'a store that never answers, and %s, holds the answer back for its timeout once',
    async (_, store, status) => {
      const calls: string[] = []
      const hangs = (name: string) => () => {
        calls.push(name)
        return new Promise<never>(() => {})
      }
      const { answer, endpoint } = await frozen(
        () => 'ok',
        undefined,
        { commit: hangs('commit'), release: hangs('release'), ...store },
        { storeTimeoutSeconds: 0.05 },
      )
      expect(answer).toEqual([status])
      // The release of the second, if there is one, has not timed out yet.
      expect(endpoint.failures.entries.length).toBeLessThanOrEqual(1)
      expect(calls).toEqual(status === 200 ? ['commit'] : ['commit', 'release'])
    },
  )

  it('a commit that fails is answered 500 if the store holds what the handler wrote', async () => {
    const fails = async () => {
      throw new Error('rolled back')
    }
    const { answer } = await frozen(() => 'ok', undefined, { commit: fails, accepted() {} })
    expect(answer).toEqual([500, 'release'])
  })
})
