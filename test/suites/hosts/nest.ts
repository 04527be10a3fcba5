import 'reflect-metadata'
import { Controller, HttpCode, Module, Post } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { EventOf } from 'hookgate'
import { listener } from './listener.ts'
import { VerifyWebhook, Webhook } from './webhook.guard.ts'

@Controller('webhooks')
class WebhooksController {
  @Post('stripe')
  @HttpCode(200)
  @VerifyWebhook(listener)
  stripe(@Webhook() { id, type }: EventOf<typeof listener>) {
    console.log(type, id)
    return { received: true }
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

export const app = await NestFactory.create(AppModule, { rawBody: true })
await app.listen(process.env.PORT ?? 3000)
