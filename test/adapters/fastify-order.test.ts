import Fastify, { type FastifyInstance, type FastifyRequest, type InjectOptions } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifyWebhook } from '../../adapters/fastify.ts'
import { defineListener, type EventStore } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs } from '../../src/testing/index.ts'
import { Log } from '../support/log.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { type Endpoint, hmacEndpoint, sentHeader } from '../support/sender.ts'

/** A guarded scope with a developer's own hooks, and a function that sends it a delivery. */
function serve(endpoint: Endpoint, build: (scope: FastifyInstance) => void) {
  const app = Fastify()
  onTestFinished(() => app.close())
  app.register(async (scope) => {
    await scope.register(verifyWebhook, { listener: endpoint.listener })
    build(scope)
  })
  return async ({ path, headers, body }: RawRequest) => {
    const sent: InjectOptions = { method: 'POST', url: path, headers: Object.fromEntries(headers) }
    const { statusCode } = await app.inject({ ...sent, payload: Buffer.from(body) })
    return statusCode
  }
}

/** Refuses the first request, as an exhausted rate limit would. */
function onceRefused(status: number) {
  let isFirst = true
  return async (): Promise<void> => {
    if (!isFirst) return
    isFirst = false
    throw Object.assign(new Error('not now'), { statusCode: status })
  }
}

const newIds = (requests: readonly FastifyRequest[]) => requests.map(({ webhook }) => webhook?.id)

describe('what answers between the checks and the claim', () => {
  it.each(['onRequest', 'preParsing', 'preValidation'] as const)(
    'a 429 of %s leaves the event for the retry',
    async (hook) => {
      const endpoint = hmacEndpoint()
      const handled: FastifyRequest[] = []
      const send = serve(endpoint, (scope) => {
        scope.post('/hook', { [hook]: onceRefused(429) }, async (request) => handled.push(request))
      })
      const delivery = await endpoint.request()
      expect(await send(delivery)).toBe(429)
      expect([endpoint.calls.entries, endpoint.verdicts.entries]).toEqual([[], []])
      expect(await send(delivery)).toBe(200)
      expect(await send(delivery)).toBe(409)
      expect(newIds(handled)).toEqual([sentHeader(delivery, 'webhook-event-id')])
      expect(endpoint.verdicts.entries).toEqual(['accepted', 'event_duplicate'])
    },
  )

  it("a route's schema that refuses a body leaves the event for the retry", async () => {
    const endpoint = hmacEndpoint()
    const body = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
    const send = serve(endpoint, (scope) => {
      scope.post('/hook', { schema: { body } }, async ({ body }) => body)
    })
    const eventId = crypto.randomUUID()
    expect(await send(await endpoint.request({ eventId, body: '{"b":1}' }))).toBe(400)
    expect(endpoint.calls.entries).toEqual([])
    expect(await send(await endpoint.request({ eventId, body: '{"a":1}' }))).toBe(200)
  })

  it('the payload keeps the type that the sender named, though a schema of the route removes it from the body', async () => {
    const auth = stripe({ secrets: 'whsec_x' })
    const listener = defineListener({ id: 'stripe', auth, store: memoryStore(), onVerdict: null })
    const send = serve({ ...hmacEndpoint(), listener }, (scope) => {
      const body = { type: 'object', properties: { data: {} }, additionalProperties: false }
      scope.post('/hook', { schema: { body } }, async ({ webhook }, reply) => {
        if (webhook?.type !== 'invoice.paid') reply.code(500)
      })
    })
    const body = { id: 'evt_1', type: 'invoice.paid', data: {} }
    const { headers, body: text } = await signAs(stripe, { secret: 'whsec_x', body })
    expect(
      await send({
        method: 'POST',
        path: '/hook',
        headers: Object.entries(headers),
        body: Buffer.from(text),
      }),
    ).toBe(200)
  })

  it('a delivery that the checks refuse leaves the event alone', async () => {
    const endpoint = hmacEndpoint()
    const asked = new Log<string>()
    const send = serve(endpoint, (scope) => {
      scope.post('/hook', { preValidation: async () => asked.add('preValidation') }, async () => 'ok')
    })
    expect(await send(await endpoint.request({ headers: { 'webhook-signature': undefined } }))).toBe(401)
    expect([asked.entries, endpoint.verdicts.entries]).toEqual([[], ['auth_missing']])
  })
})

describe('the hooks of a guarded route', () => {
  it('the hooks see the payload from preValidation on, and the event from preHandler on', async () => {
    const endpoint = hmacEndpoint()
    const seen: unknown[] = []
    const look = (hook: string) => async (request: FastifyRequest) => {
      seen.push([hook, request.body, request.webhook?.payload])
    }
    const send = serve(endpoint, (scope) => {
      const hooks = { preValidation: look('preValidation'), preHandler: look('preHandler') }
      scope.post('/hook', hooks, look('handler'))
    })
    expect(await send(await endpoint.request({ body: '{"a":1}' }))).toBe(200)
    expect(seen).toEqual([
      ['preValidation', { a: 1 }, undefined],
      ['preHandler', { a: 1 }, { a: 1 }],
      ['handler', { a: 1 }, { a: 1 }],
    ])
  })

  it('the hooks do not count towards the duration of the verdict', async () => {
    const endpoint = hmacEndpoint()
    const startedAt = performance.now()
    const send = serve(endpoint, (scope) => {
      const waitLong = () => new Promise<void>((resolve) => setTimeout(resolve, 300))
      scope.post('/hook', { preValidation: waitLong }, async () => 'ok')
    })
    const delivery = await endpoint.request()
    expect(await send(delivery)).toBe(200)
    const [durationMs = 0] = endpoint.durations.entries
    expect(endpoint.durations.entries).toHaveLength(1)
    expect(durationMs).toBeGreaterThan(0)
    expect(durationMs).toBeLessThan(performance.now() - startedAt - 299)
  })
})

describe('a claim in a guarded scope', () => {
  const failing: EventStore = {
    claim: () => Promise.reject(new Error('no connection')),
    commit: () => 'committed',
    release: () => true,
  }

  it('a claim that fails is answered 503 and reported once', async () => {
    const endpoint = hmacEndpoint({ store: failing })
    const send = serve(endpoint, (scope) => scope.post('/hook', async () => 'ok'))
    expect(await send(await endpoint.request())).toBe(503)
    expect([endpoint.failures.entries.length, endpoint.verdicts.entries]).toEqual([1, []])
  })

  it('a claim is made once, even if the handler calls the not-found handler of the same scope', async () => {
    const endpoint = hmacEndpoint()
    const send = serve(endpoint, (scope) => {
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing here'))
      scope.post('/hook', (_request, reply) => reply.callNotFound())
    })
    const delivery = await endpoint.request()
    expect(await send(delivery)).toBe(404)
    expect(endpoint.calls.entries.filter((call) => call.startsWith('claim'))).toHaveLength(1)
  })
})
