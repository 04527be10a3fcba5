import 'reflect-metadata'
import { Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'
import type { WebhookEvent } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { listener } from './listener.ts'

@Injectable()
class Invoices {
  async received({ id, type }: WebhookEvent) {
    console.log(type, id)
  }
}

@Module({ providers: [Invoices] })
class AppModule {}

export const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(async (scope: FastifyInstance) => {
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/stripe', async (request) => {
    await app.get(Invoices).received(webhookOf(request))
    return { received: true }
  })
})
await app.listen(process.env.PORT ?? 3000)
