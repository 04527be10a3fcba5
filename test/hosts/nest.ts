import 'reflect-metadata'
import { Controller, HttpCode, Module, Post, Req } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Request } from 'express'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { listener } from './listener.ts'

@Controller('webhooks')
class WebhooksController {
  @Post('stripe')
  @HttpCode(200)
  stripe(@Req() request: Request) {
    const { id, type } = webhookOf(request, listener)
    console.log(type, id)
    return { received: true }
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

export const app = await NestFactory.create(AppModule)
app.use('/webhooks/stripe', verifyWebhook(listener)) // before listen(), which mounts Nest's own parsers
await app.listen(process.env.PORT ?? 3000)
