import 'reflect-metadata'
import { type MiddlewareConsumer, Module, type NestApplicationOptions } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { verifyWebhook } from 'hookgate/express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { signHmac } from '../../src/testing/index.ts'
import { hmacListener, SECRET } from '../support/hmac-listener.ts'

/** Nest's own log of errors. */
function listening(): { logger: NonNullable<NestApplicationOptions['logger']>; errors: unknown[] } {
  const errors: unknown[] = []
  const quiet = () => {}
  return { logger: { log: quiet, warn: quiet, error: (error: unknown) => errors.push(error) }, errors }
}

/** A module whose middleware is hookgate's. No controller: what it lets through is 404. */
function guardedModule() {
  const { listener } = hmacListener({ clock: undefined })
  @Module({})
  class Guarded {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(verifyWebhook(listener)).forRoutes('webhooks/orders')
    }
  }
  return Guarded
}

interface Running {
  getUrl(): Promise<string>
  close(): Promise<void>
}

async function statusOf(app: Running, signature?: string): Promise<number> {
  onTestFinished(() => app.close())
  const request = await signHmac({ secret: SECRET, body: '{ "total": 1.0 }' })
  const headers = { ...request.headers, ...(signature && { 'webhook-signature': signature }) }
  return (await fetch(`${await app.getUrl()}/webhooks/orders`, { ...request, headers })).status
}

describe("a middleware of a Nest module, which comes after Nest's parsers", () => {
  it('verifies where the parsers keep the bytes', async () => {
    const app = await NestFactory.create(guardedModule(), { logger: false, rawBody: true })
    await app.listen(0, '127.0.0.1')
    expect(await statusOf(app)).toBe(404)
    expect(await statusOf(app, 'A'.repeat(43))).toBe(401)
  })

  it('tells the fix where they do not', async () => {
    const { logger, errors } = listening()
    const app = await NestFactory.create(guardedModule(), { logger })
    await app.listen(0, '127.0.0.1')
    expect(await statusOf(app)).toBe(500)
    expect(errors.join()).toContain('keep the bytes in request.rawBody')
  })
})

it('a middleware on Nest with Fastify is refused, where Fastify would wait for a body that has been read', async () => {
  const { logger, errors } = listening()
  const app = await NestFactory.create<NestFastifyApplication>(guardedModule(), new FastifyAdapter(), {
    logger,
  })
  await app.listen(0, '127.0.0.1')
  expect(await statusOf(app)).toBe(500)
  expect(errors.join()).toContain('is from another framework')
})
