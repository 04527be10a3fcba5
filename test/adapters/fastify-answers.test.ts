import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/fastify.ts'
import type { EventStore } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hmacEndpoint } from '../support/sender.ts'

type Handle = (request: FastifyRequest, reply: FastifyReply) => unknown

/** A route whose store has committed once `commit` is called, and never before. */
async function held(handle: Handle) {
  let commit = () => {}
  const committing = new Promise<void>((resolve) => {
    commit = resolve
  })
  const store = memoryStore()
  const done: string[] = []
  const settles = (name: 'commit' | 'release') =>
    async function settle(...given: Parameters<EventStore['commit']>) {
      done.push(name)
      await committing
      return store[name](...given)
    }
  const slow = {
    claim: store.claim.bind(store),
    commit: settles('commit'),
    release: settles('release'),
  } as EventStore // as far as it is used
  const { listener, request } = hmacEndpoint({ store: slow })
  const app = Fastify()
  onTestFinished(() => app.close())
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener })
    scope.post('/hook', handle)
  })
  const { headers, body } = await request()
  const answer = app.inject({
    method: 'POST',
    url: '/hook',
    headers: Object.fromEntries(headers),
    body: Buffer.from(body),
  })
  return { answer, commit, done }
}

/** Fastify drops a second answer once the first is sent. */
describe('a route that answers twice while its first answer waits for the commit', () => {
  it.each<readonly [string, Handle]>([
    [
      'it sends one, and returns another',
      async (_, reply) => {
        reply.send('first')
        return { second: true }
      },
    ],
    [
      'it sends one, and returns an error',
      async (_, reply) => {
        reply.send('first')
        return new Error('second')
      },
    ],
    [
      'it sends two',
      async (_, reply) => {
        reply.send('first')
        return reply.code(201).send('second')
      },
    ],
    [
      'it sends two without a promise',
      (_, reply) => {
        reply.send('first')
        reply.code(500).send(new Error('second'))
      },
    ],
    [
      'it sends one, and throws',
      (_, reply) => {
        reply.send('first')
        throw new Error('second')
      },
    ],
    [
      'its timeout answers in between',
      (_, reply) => {
        reply.send('first')
        setImmediate(() => reply.code(503).send('late'))
      },
    ],
    [
      'its not-found handler answers in between',
      async (_, reply) => {
        reply.send('first')
        reply.callNotFound()
      },
    ],
  ])('answers with the first, and commits once: %s', async (_, handle) => {
    const { answer, commit, done } = await held(handle)
    await expect.poll(() => done).toEqual(['commit'])
    await new Promise((resolve) => setTimeout(resolve))
    commit()
    expect(await answer).toMatchObject({ statusCode: 200, body: 'first' })
    expect(done).toEqual(['commit'])
  })

  it('what has ended the response in between stands', async () => {
    const { answer, commit, done } = await held((_, reply) => {
      reply.send('first')
      setImmediate(() => reply.raw.end('by hand'))
    })
    expect((await answer).body).toBe('by hand')
    commit()
    await new Promise((resolve) => setTimeout(resolve))
    expect(done).toEqual(['commit'])
  })

  it('an answer that cannot be sent fails as it would without hookgate', async () => {
    const { answer, commit } = await held(async (_, reply) => reply.header('not a token', 'x').send('first'))
    commit()
    expect((await answer).statusCode).toBe(500)
  })
})
