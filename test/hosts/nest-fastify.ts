import 'reflect-metadata'
import { Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'
import type { WebhookEvent } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/fastify'
import { listener } from './listener.ts'

@Injectable()
class Orders {
  async received({ id, payload }: WebhookEvent) {
    console.log('event', id, payload)
  }
}

@Module({ providers: [Orders] })
class AppModule {}

export const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
await app.register(async (scope: FastifyInstance) => {
  await scope.register(verifyWebhook, { listener })
  scope.post('/webhooks/orders', async (request) => {
    await app.get(Orders).received(webhookOf(request))
    return { received: true }
  })
})
await app.listen(process.env.PORT ?? 3000)
