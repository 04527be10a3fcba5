import 'reflect-metadata'
import {
  type ArgumentsHost,
  Catch,
  Controller,
  HttpException,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type NestApplicationOptions,
  Post,
  ValidationPipe,
} from '@nestjs/common'
import { HttpAdapterHost, NestFactory } from '@nestjs/core'
import {
  ExpressAdapter,
  type NestExpressApplication,
} from '@nestjs/platform-express'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import express from 'express'
import {
  defineListener,
  generateSecret,
  type ListenerOptions,
  type WebhookEvent,
} from 'hookgate'
import { verifyWebhook } from 'hookgate/express'
import { github } from 'hookgate/schemes/github'
import { stripe } from 'hookgate/schemes/stripe'
import { memoryStore } from 'hookgate/stores/memory'
import { type SignedRequest, signAs } from 'hookgate/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { VerifyWebhook, Webhook } from './webhooks.module.ts'

// webhooks.module.ts creates a listener of its own.
vi.hoisted(() =>
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_of_this_test'),
)

const SECRETS = { stripe: generateSecret(), github: generateSecret() }

function listenerOf(id: string, auth: ListenerOptions['auth']) {
  return defineListener({
    id,
    auth,
    store: memoryStore(),
    onVerdict: null,
  })
}

/** An app with a route for each of two senders, as the guard's page shows it, and what its handlers got. */
function appOf() {
  const received: string[] = []
  const keep = ({ listenerId, id, payload }: WebhookEvent) => {
    received.push(`${listenerId} ${id}`)
    if (Object(payload).fails) throw new TypeError('the handler fails')
  }
  const stripeListener = listenerOf(
    'stripe',
    stripe({ secrets: SECRETS.stripe }),
  )
  const githubListener = listenerOf(
    'github',
    github({ secrets: SECRETS.github }),
  )

  @Controller('webhooks')
  class Webhooks {
    @Post('stripe')
    @VerifyWebhook(stripeListener)
    stripe(@Webhook() event: WebhookEvent) {
      keep(event)
    }

    @Post('github')
    @VerifyWebhook(githubListener)
    github(@Webhook() event: WebhookEvent) {
      keep(event)
    }

    @Post('open')
    open(@Webhook() event: WebhookEvent) {
      keep(event)
    }
  }

  @Module({ controllers: [Webhooks] })
  class App {
    configure(consumer: MiddlewareConsumer) {
      consumer
        .apply(verifyWebhook(stripeListener))
        .forRoutes('middleware')
    }
  }
  return { App, received, stripeListener }
}

const PLATFORMS = {
  Express: () => new ExpressAdapter(),
  Fastify: () => new FastifyAdapter(),
}

/** An app on a platform. `setUp` runs before it listens, and `errors` are those that Nest logged. */
async function started(
  platform: keyof typeof PLATFORMS,
  options: NestApplicationOptions,
  setUp: (
    app: NestExpressApplication,
    given: ReturnType<typeof appOf>,
  ) => unknown = () => {},
) {
  const given = appOf()
  const errors: unknown[] = []
  const quiet = () => {}
  const logger = {
    log: quiet,
    warn: quiet,
    error: (error: unknown) => errors.push(error),
  }
  const app: NestExpressApplication = await NestFactory.create(
    given.App,
    PLATFORMS[platform](),
    {
      logger,
      ...options,
    },
  )
  onTestFinished(() => app.close())
  setUp(app, given)
  await app.listen(0, '127.0.0.1')
  const url = await app.getUrl()
  const post = async (path: string, request: SignedRequest) => {
    const response = await fetch(`${url}${path}`, request)
    return `${response.status} ${await response.text()}`.trim()
  }
  return { post, errors, received: given.received }
}

/** Answers every exception in its own way, as many apps do. */
@Catch()
class CatchAll {
  readonly #app: INestApplication
  constructor(app: INestApplication) {
    this.#app = app
  }
  catch(error: unknown, host: ArgumentsHost) {
    const { httpAdapter } = this.#app.get(HttpAdapterHost)
    const status =
      error instanceof HttpException ? error.getStatus() : 500
    httpAdapter.reply(
      host.switchToHttp().getResponse(),
      'from the filter',
      status,
    )
  }
}

const fromStripe = (body: object = {}) =>
  signAs(stripe, {
    secret: SECRETS.stripe,
    body: { id: 'evt_1', type: 'invoice.paid', ...body },
  })
const fromGithub = () =>
  signAs(github, {
    secret: SECRETS.github,
    body: { ref: 'refs/heads/main' },
  })
const tampered = (request: SignedRequest) => ({
  ...request,
  body: `${request.body} `,
})
const REFUSED =
  '401 {"status":401,"title":"Unauthorized","code":"unauthorized"}'

describe.each(['Express', 'Fastify'] as const)(
  'the guard on Nest with %s',
  (platform) => {
    it('the guard verifies several senders, whatever prefix, pipe and exception filter the app has', async () => {
      const { post, received } = await started(
        platform,
        { rawBody: true },
        (app) => {
          app.setGlobalPrefix('api')
          const strict = {
            whitelist: true,
            forbidNonWhitelisted: true,
            transform: true,
          }
          app.useGlobalPipes(
            new ValidationPipe({
              ...strict,
              validateCustomDecorators: true,
            }),
          )
          app.useGlobalFilters(new CatchAll(app))
        },
      )
      for (const [path, request] of [
        ['/api/webhooks/stripe', await fromStripe()],
        ['/api/webhooks/github', await fromGithub()],
      ] as const) {
        expect(await post(path, tampered(request))).toBe(REFUSED)
        expect(await post(path, request)).toBe('201')
        await expect.poll(() => post(path, request)).toBe('200') // a duplicate
      }
      expect(received).toEqual([
        'stripe evt_1',
        expect.stringMatching(/^github /),
      ])
      expect(
        await post('/api/webhooks/github', await fromStripe()),
      ).toMatch(/^40/)
    })

    it('the guard releases an event whose handler threw', async () => {
      const { post, received } = await started(platform, {
        rawBody: true,
      })
      const request = await fromStripe({ fails: true })
      expect(await post('/webhooks/stripe', request)).toMatch(/^500 /)
      await expect
        .poll(async () => [
          await post('/webhooks/stripe', request),
          ...received,
        ])
        .toEqual([
          expect.stringMatching(/^500 /),
          'stripe evt_1',
          'stripe evt_1',
        ])
    })

    it('the guard says how to keep the bytes if the parsers of Nest do not', async () => {
      const { post, errors } = await started(platform, {})
      expect(
        await post('/webhooks/stripe', await fromStripe()),
      ).toMatch(/^500 /)
      expect(errors.join()).toContain('request.rawBody')
    })

    it('@Webhook() on a route without the guard is an error', async () => {
      const { post, errors } = await started(platform, {
        rawBody: true,
      })
      expect(await post('/webhooks/open', await fromStripe())).toMatch(
        /^500 /,
      )
      expect(errors.join()).toContain(
        'is verifyWebhook() on its route?',
      )
    })
  },
)

describe('the guard on Nest with Express', () => {
  it('the guard reads the bytes itself without parsers', async () => {
    const { post } = await started('Express', { bodyParser: false })
    const request = await fromStripe()
    expect([
      await post('/webhooks/stripe', tampered(request)),
      await post('/webhooks/stripe', request),
    ]).toEqual([REFUSED, '201'])
  })

  it('the guard says that a parser in front of those of Nest has taken the bytes', async () => {
    const { post, errors } = await started(
      'Express',
      { rawBody: true },
      (app) => app.use(express.json()),
    )
    expect(await post('/webhooks/stripe', await fromStripe())).toMatch(
      /^500 /,
    )
    expect(errors.join()).toContain('before any body parser')
  })

  it('the guard gets bodies over 100 KB once the limit of the parser is raised', async () => {
    const large = await fromStripe({ padding: 'x'.repeat(200_000) })
    const usual = await started('Express', { rawBody: true })
    expect(await usual.post('/webhooks/stripe', large)).toMatch(/^413 /)
    const raised = await started('Express', { rawBody: true }, (app) =>
      app.useBodyParser('json', { limit: '1mb' }),
    )
    expect(await raised.post('/webhooks/stripe', large)).toBe('201')
  })

  it('the guard is not needed behind the middleware, which needs no raw body', async () => {
    const { post, received } = await started(
      'Express',
      {},
      (app, { stripeListener }) =>
        app.use('/webhooks/open', verifyWebhook(stripeListener)),
    )
    const request = await fromStripe()
    expect([
      await post('/webhooks/open', tampered(request)),
      await post('/webhooks/open', request),
    ]).toEqual([REFUSED, '201'])
    expect(received).toEqual(['stripe evt_1'])
  })
})

it('the guard behind the middleware is a mistake, which it names', async () => {
  const { post, errors } = await started(
    'Express',
    {},
    (app, { stripeListener }) =>
      app.use('/webhooks/stripe', verifyWebhook(stripeListener)),
  )
  expect(await post('/webhooks/stripe', await fromStripe())).toMatch(
    /^500 /,
  )
  expect(errors.join()).toContain('was mounted twice for one request')
})

describe("a middleware of a Nest module, which comes after Nest's parsers", () => {
  it('the middleware verifies where the parsers keep the bytes', async () => {
    const { post } = await started('Express', { rawBody: true })
    const request = await fromStripe()
    expect(await post('/middleware', request)).toMatch(/^404 /) // no controller
    expect(await post('/middleware', tampered(request))).toBe(REFUSED)
  })

  it('the middleware tells the fix where they do not', async () => {
    const { post, errors } = await started('Express', {})
    expect(await post('/middleware', await fromStripe())).toMatch(
      /^500 /,
    )
    expect(errors.join()).toContain('request.rawBody')
  })

  it('the middleware is refused on Fastify, which would wait for a body that has been read', async () => {
    const { post, errors } = await started('Fastify', {})
    expect(await post('/middleware', await fromStripe())).toMatch(
      /^500 /,
    )
    expect(errors.join()).toContain('is from another framework')
  })
})
