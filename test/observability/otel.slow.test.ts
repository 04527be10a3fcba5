import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { context, diag, propagation, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import express from 'express'
import { instrument } from 'hookgate/otel'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { verifyWebhook } from '../../adapters/express.ts'
import { observeWebhook, webhookHandler } from '../../adapters/web.ts'
import { inbox } from '../../src/inbox/index.ts'
import { defineListener, type EventStore, hmac, type Listener, verify } from '../../src/index.ts'
import { stripe } from '../../src/schemes/stripe.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, signHmac, toDelivery } from '../../src/testing/index.ts'
import { hmacListener, SECRET } from '../support/hmac-listener.ts'
import { remoteSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'
import { sendOneOfEach } from './traffic.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const NAME = 'Augusta King-Noel'
const EMAIL = 'ada@example.org'

/** What one process exports. */
function sdk() {
  const spans = new InMemorySpanExporter()
  const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  })
  const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 })
  const meterProvider = new MeterProvider({ readers: [reader] })
  const metrics = async () => {
    points.reset()
    await meterProvider.forceFlush()
    return points.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  }
  return { spans, tracerProvider, meterProvider, metrics }
}

let exported: ReturnType<typeof sdk>

beforeEach(() => {
  exported = sdk()
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(exported.tracerProvider)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
})

afterEach(() => {
  context.disable()
  trace.disable()
  propagation.disable()
})

/** Runs `work` and sends its telemetry to `exported`. */
async function whileInstrumented<T>(
  options: { readonly spans?: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const { tracerProvider, meterProvider } = exported
  const stop = instrument({
    tracer: tracerProvider.getTracer('test'),
    meter: meterProvider.getMeter('test'),
    ...options,
  })
  try {
    return await work()
  } finally {
    stop()
  }
}

const named = (name: string) => exported.spans.getFinishedSpans().filter((span) => span.name === name)

/** Posts to a server that instrumentation-http watches, as part of the sender's trace. */
async function served(listener: Listener, ...requests: readonly Awaited<ReturnType<typeof signHmac>>[]) {
  const http = new HttpInstrumentation()
  http.setTracerProvider(exported.tracerProvider)
  http.enable()
  const { createServer } = createRequire(import.meta.url)('node:http') as typeof import('node:http') // instrumentation patches it on require
  const app = express().post('/', verifyWebhook(listener), (_req, res) => void res.send('done'))
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const statuses: number[] = []
  for (const { headers, body } of requests) {
    const traceparent = `00-${TRACE}-${PARENT}-01`
    const init = { method: 'POST', headers: { ...headers, traceparent }, body }
    statuses.push((await fetch(`http://127.0.0.1:${port}/`, init)).status)
  }
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  http.disable()
  return statuses
}

describe('with instrument()', () => {
  it("200, 409 and 401 are on the server span of their request, under the sender's parent span", async () => {
    const listener = defineListener({
      id: 'orders',
      auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
      store: memoryStore(),
    })
    const good = await signHmac({ secret: SECRET, body: '{}' })
    const bad = { ...good, headers: { ...good.headers, 'webhook-signature': 'x'.repeat(43) } }
    const statuses = await whileInstrumented({}, () => served(listener, good, good, bad))
    expect(statuses).toEqual([200, 409, 401])
    const spans = exported.spans.getFinishedSpans()
    const eventId = good.headers['webhook-event-id']
    const by = { 'hookgate.auth.method': 'hmac', 'hookgate.auth.key_id': 'main' }
    const refused = { 'hookgate.outcome': 'refused', 'hookgate.listener.id': 'orders' }
    const known = { 'hookgate.event.id': eventId }
    expect(spans.map(({ attributes }) => attributes)).toMatchObject([
      { 'http.response.status_code': 200, 'hookgate.outcome': 'accepted', ...known, ...by },
      { 'http.response.status_code': 409, ...refused, 'hookgate.reason': 'event_duplicate', ...known, ...by },
      { 'http.response.status_code': 401, ...refused, 'hookgate.reason': 'signature_mismatch', ...known },
    ])
    for (const span of spans) {
      expect(span.spanContext().traceId).toBe(TRACE)
      expect(span.parentSpanContext?.spanId).toBe(PARENT)
      expect(span.attributes).not.toHaveProperty('error.type')
    }
  })

  it('an inbox has a span for each put and each run, and metrics without an ID of an event', async () => {
    const db = new PGlite()
    const box = inbox(db)
    await box.migrate()
    const listener = defineListener({
      id: 'orders',
      auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
      store: box.store,
    })
    const request = await signHmac({ secret: SECRET, body: '{}' })
    await whileInstrumented({ spans: true }, async () => {
      const verdict = await verify(toDelivery(request), listener)
      if (verdict.ok) await box.put(verdict.event)
      let fails = true
      const handler = () => {
        if (!fails) return
        fails = false
        throw new Error('no')
      }
      const worker = box.work(listener, handler, { delayMs: () => 1, pollMs: 10, onError: null })
      await expect.poll(() => box.counts()).toMatchObject({ done: 1 })
      await worker.stop()
    })
    const of = { 'hookgate.listener.id': 'orders' }
    const [put, run] = [named('hookgate inbox put'), named('hookgate inbox run')]
    expect(put.map(({ attributes }) => attributes)).toMatchObject([{ ...of, 'hookgate.inbox.answer': 'put' }])
    expect(run.map(({ attributes }) => attributes)).toMatchObject([
      { ...of, 'hookgate.inbox.answer': 'failed', 'hookgate.inbox.attempt': 1 },
      { ...of, 'hookgate.inbox.answer': 'done', 'hookgate.inbox.attempt': 2 },
    ])
    expect(run.map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR, SpanStatusCode.UNSET])
    const metrics = (await exported.metrics()).filter(({ descriptor }) => descriptor.name.includes('inbox'))
    expect(metrics.map(({ descriptor }) => descriptor.name).toSorted()).toEqual([
      'hookgate.inbox.events',
      'hookgate.inbox.run.duration',
      'hookgate.inbox.wait.duration',
    ])
    expect(inspect(metrics, { depth: null })).not.toContain(request.headers['webhook-event-id'])
    await db.close()
  })

  it('error.type is only on the span of an undecided delivery', async () => {
    const tracer = exported.tracerProvider.getTracer('test')
    const fail = () => Promise.reject(new Error('down'))
    const down = hmacListener({ store: { claim: fail, commit: fail, release: fail } })
    await whileInstrumented({}, () =>
      tracer.startActiveSpan('request', async (span) => {
        await verify(await down.deliver(), down.listener).catch(() => {})
        span.end()
      }),
    )
    expect(named('request')[0]?.attributes).toMatchObject({
      'hookgate.outcome': 'undecided',
      'error.type': 'EventStoreError',
    })
  })

  it('instrument() names the sender and the type of the event on spans, never in a label', async () => {
    const secret = 'whsec_0123456789abcdefghijklmnopqrstuv'
    const listener = defineListener({ id: 'L1', auth: stripe({ secrets: secret }), store: memoryStore() })
    const signed = await signAs(stripe, { secret, body: '{"id":"evt_1","type":"invoice.paid"}' })
    await whileInstrumented({}, () =>
      trace.getTracer('test').startActiveSpan('request', async (span) => {
        await verify(toDelivery(signed), listener)
        span.end()
      }),
    )
    expect(named('request')[0]?.attributes).toMatchObject({
      'hookgate.auth.scheme': 'stripe',
      'hookgate.event.id': 'evt_1',
      'hookgate.event.type': 'invoice.paid',
    })
    expect(inspect(await exported.metrics(), { depth: 9 })).not.toMatch(/invoice\.paid|evt_1/)
  })

  it('instrument() has the metrics, and no event ID, address or secret in a label', async () => {
    const { secrets, eventId } = await whileInstrumented({}, sendOneOfEach)
    const metrics = await exported.metrics()
    expect(metrics.map(({ descriptor: { name, unit } }) => `${name} ${unit}`).toSorted()).toEqual([
      'hookgate.deliveries {delivery}',
      'hookgate.store.operation.duration s',
      'hookgate.verify.duration s',
    ])
    const deliveries = metrics.find(({ descriptor }) => descriptor.name === 'hookgate.deliveries')
    expect(deliveries?.dataPoints.map(({ attributes, value }) => ({ ...attributes, value }))).toEqual([
      { 'hookgate.listener.id': 'L1', 'hookgate.outcome': 'accepted', value: 1 },
      { ...REFUSED, 'hookgate.reason': 'event_duplicate', value: 1 },
      { ...REFUSED, 'hookgate.reason': 'signature_mismatch', value: 1 },
      { 'hookgate.listener.id': 'L1', 'hookgate.outcome': 'undecided', value: 1 },
    ])
    const text = JSON.stringify(metrics)
    for (const secret of [SECRET, ...secrets, eventId, '192.0.2.1']) expect(text).not.toContain(secret)
  })

  it('verdicts beside an old check are counted in series of their own', async () => {
    const auth = hmac({ secrets: SECRET })
    const listener = defineListener({ id: 'L1', auth, store: memoryStore(), onVerdict: null })
    const warn = vi.fn()
    diag.setLogger({ warn, error: warn, info() {}, debug() {}, verbose() {} })
    onTestFinished(() => diag.disable())
    const works: Promise<unknown>[] = []
    const old = async (request: Request) => {
      const body = await request.text()
      works.push(observeWebhook(listener, request, body))
      return new Response(body)
    }
    const enforcing = webhookHandler(listener, () => {})
    await whileInstrumented({}, async () => {
      const request = async (secret = SECRET) =>
        new Request('http://localhost/', await signHmac({ secret, body: '{}' }))
      for (const sent of [await request(), await request(`${SECRET}!`)]) {
        await trace.getTracer('test').startActiveSpan('answered', async (span) => {
          await old(sent)
          span.end()
        })
      }
      await Promise.all(works)
      await enforcing(await request())
    })
    expect(warn).not.toHaveBeenCalled() // of a span that has ended
    const accepted = { 'hookgate.listener.id': 'L1', 'hookgate.outcome': 'accepted' }
    const expected = [
      { ...accepted, 'hookgate.enforced': false },
      { ...REFUSED, 'hookgate.reason': 'signature_mismatch', 'hookgate.enforced': false },
      accepted,
    ]
    const metrics = await exported.metrics()
    for (const name of ['hookgate.deliveries', 'hookgate.verify.duration']) {
      const points = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints
      expect(points?.map(({ attributes }) => attributes)).toEqual(expected)
    }
  })

  it('instrument() counts a lost lease', async () => {
    const lost: EventStore = { claim: () => 'acquired', commit: () => 'lost', release: () => false }
    const { listener, deliver } = hmacListener({ store: lost })
    await whileInstrumented({}, async () => {
      const verdict = await verify(await deliver(), listener)
      if (verdict.ok) await verdict.event.commit()
    })
    const [counter] = (await exported.metrics()).filter(
      ({ descriptor }) => descriptor.name === 'hookgate.lease.lost',
    )
    expect(counter?.dataPoints).toMatchObject([{ value: 1, attributes: { 'hookgate.listener.id': 'L1' } }])
  })

  it('instrument() has series for each listener and outcome, however many events come', async () => {
    await whileInstrumented({}, async () => {
      for (let round = 0; round < 20; round += 1) await sendOneOfEach()
    })
    const series = (await exported.metrics()).map(({ dataPoints }) => dataPoints.length)
    expect(Math.max(...series)).toBe(4)
  })

  it('instrument() reports nothing after stop()', async () => {
    await whileInstrumented({}, async () => {})
    await sendOneOfEach()
    expect(await exported.metrics()).toEqual([])
  })
})

const REFUSED = { 'hookgate.listener.id': 'L1', 'hookgate.outcome': 'refused' }

describe('with spans: true', () => {
  it('a claim and a fetch of a key set are spans inside the span of the request', async () => {
    const key = newKey('ES256', 'first')
    const { host, send } = await remoteSender(key, { keys: [key.publicKey] })
    const tracer = exported.tracerProvider.getTracer('test')
    await whileInstrumented({ spans: true }, () =>
      tracer.startActiveSpan('request', async (span) => {
        const verdict = await send()
        if (verdict.ok) await verdict.event.commit()
        span.end()
      }),
    )
    const [request] = named('request')
    const parent = { spanId: request?.spanContext().spanId }
    expect(named('hookgate claim')).toMatchObject([
      { parentSpanContext: parent, attributes: { 'hookgate.store.answer': 'acquired' } },
    ])
    expect(named('hookgate fetch keys')).toMatchObject([
      { parentSpanContext: parent, attributes: { 'url.full': host.url, 'hookgate.keys.count': 1 } },
    ])
    expect(exported.spans.getFinishedSpans()).toHaveLength(3)
  })

  it('no span and no metric holds a secret, a signature, a token, a claim, a body or a cause', async () => {
    const key = newKey('ES256', 'first')
    const jwtTexts: string[] = []
    const { send } = await remoteSender(key, { keys: [key.publicKey] })
    const tracer = exported.tracerProvider.getTracer('test')
    const hmacTexts = await whileInstrumented({ spans: true }, () =>
      tracer.startActiveSpan('request', async (span) => {
        const { secrets } = await sendOneOfEach()
        const keepToken = (token: string) => {
          jwtTexts.push(token, ...token.split('.'))
          return `Bearer ${token}`
        }
        const sent = { body: `{"name":"${NAME}"}`, claims: { email: EMAIL }, authorization: keepToken }
        expect((await send(sent)).ok).toBe(true)
        span.end()
        return secrets
      }),
    )
    const spans = exported.spans
      .getFinishedSpans()
      .map(({ name, attributes, events, links, status }) => ({ name, attributes, events, links, status }))
    const everything = inspect([spans, await exported.metrics()], { depth: 20, maxArrayLength: null })
    expect(everything).toContain('hookgate claim')
    expect(everything).toContain('hookgate fetch keys')
    expect(everything).toContain("'hookgate.auth.method': 'jwt'")
    expect(jwtTexts).toHaveLength(4)
    for (const text of [SECRET, NAME, EMAIL, ...hmacTexts, ...jwtTexts]) {
      expect(text.length).toBeGreaterThan(8)
      expect(everything).not.toContain(text)
    }
  })

  it('instrument() adds no spans without spans: true', async () => {
    await whileInstrumented({}, sendOneOfEach)
    expect(exported.spans.getFinishedSpans()).toEqual([])
  })
})
