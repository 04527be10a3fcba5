import { configure as codegenie } from '@codegenie/serverless-express'
import { configure as vendia } from '@vendia/serverless-express'
import express from 'express'
import { defineListener, generateSecret, hmac } from 'hookgate'
import { verifyWebhook, webhookOf } from 'hookgate/express'
import { memoryStore } from 'hookgate/stores/memory'
import { type SignedRequest, signHmac } from 'hookgate/testing'
import serverlessHttp from 'serverless-http'
import { describe, expect, it, vi } from 'vitest'

const SECRET = generateSecret()

type Invoke = (event: object, context: object) => Promise<unknown>
type Wrap = (app: ReturnType<typeof express>) => Invoke

const PACKAGES: { readonly [name: string]: Wrap } = {
  '@codegenie/serverless-express': (app) =>
    codegenie({ app }) as unknown as Invoke, // its types also cover callbacks
  '@vendia/serverless-express': (app) =>
    vendia({ app }) as unknown as Invoke,
  'serverless-http': (app) => serverlessHttp(app),
}

/** An app whose handler answers with these statuses in turn, then with 200. Undefined: it never answers. */
function started(
  wrap: Wrap,
  answers: readonly (number | undefined)[],
  leaseSeconds = 60,
) {
  const onError = vi.fn()
  const bodies: string[] = []
  const listener = defineListener({
    id: 'orders',
    auth: hmac({ secrets: { id: 'main', secret: SECRET } }),
    store: memoryStore(),
    leaseSeconds,
    maxRunSeconds: leaseSeconds,
    onError,
  })
  const app = express()
  app.post(
    '/webhooks/orders',
    verifyWebhook(listener),
    (request, response) => {
      bodies.push(Buffer.from(webhookOf(request).rawBody).toString())
      const status =
        bodies.length > answers.length
          ? 200
          : answers[bodies.length - 1]
      if (status !== undefined) response.status(status).json({ status })
    },
  )
  const invoke = wrap(app)
  const send = async (
    request: SignedRequest,
    isBase64Encoded = false,
  ) => {
    const { statusCode, body } = Object(
      await invoke(apiGatewayEvent(request, isBase64Encoded), {}),
    )
    return `${statusCode} ${JSON.parse(body).code ?? ''}`.trim()
  }
  return { send, bodies, onError }
}

/** A request as API Gateway and function URLs pass it on (payload format 2.0). */
function apiGatewayEvent(
  { headers, body }: SignedRequest,
  isBase64Encoded: boolean,
) {
  const http = {
    method: 'POST',
    path: '/webhooks/orders',
    protocol: 'HTTP/1.1',
    sourceIp: '192.0.2.1',
  }
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: http.path,
    rawQueryString: '',
    headers: {
      ...headers,
      'content-length': `${Buffer.byteLength(body)}`,
    },
    requestContext: {
      http,
      stage: '$default',
      domainName: 'api.example',
    },
    isBase64Encoded,
    body: Buffer.from(body).toString(
      isBase64Encoded ? 'base64' : 'utf8',
    ),
  }
}

const BODY = '{ "total": 1.0, "to": "Zoë" }'
const signed = () => signHmac({ secret: SECRET, body: BODY })

describe.each(Object.entries(PACKAGES))(
  '%s, really invoked',
  (_, wrap) => {
    it('the function commits an event answered 200, and does not run it again', async () => {
      const { send, bodies, onError } = started(wrap, [])
      const request = await signed()
      expect(await send(request)).toBe('200')
      expect(await send(request)).toBe('409 event_duplicate')
      expect(await send(request, true)).toBe('409 event_duplicate')
      expect([bodies, onError.mock.calls]).toEqual([[BODY], []])
    })

    it('the function commits an event answered 200 in base64', async () => {
      const { send, bodies } = started(wrap, [])
      const request = await signed()
      expect([
        await send(request, true),
        await send(request, true),
      ]).toEqual(['200', '409 event_duplicate'])
      expect(bodies).toEqual([BODY])
    })

    it('the function releases an event answered 500, and the next attempt runs at once', async () => {
      const { send, bodies } = started(wrap, [500])
      const request = await signed()
      expect([
        await send(request),
        await send(request),
        await send(request),
      ]).toEqual(['500', '200', '409 event_duplicate'])
      expect(bodies).toHaveLength(2)
    })

    it('the function keeps the lease of an event answered 503', async () => {
      const { send, bodies } = started(wrap, [503])
      const request = await signed()
      expect([await send(request), await send(request)]).toEqual([
        '503',
        '503 event_in_progress',
      ])
      expect(bodies).toHaveLength(1)
    })

    it('the function tells onError of a response that never ends once its lease is over, and then the event runs', async () => {
      const { send, onError } = started(wrap, [undefined], 0.5)
      const request = await signed()
      void send(request)
      await expect.poll(() => onError).toHaveBeenCalledTimes(1)
      expect(String(onError.mock.calls[0]?.[0])).toMatch(
        /^LeaseLostError: /,
      )
      await expect.poll(() => send(request)).toBe('200')
      expect(await send(request)).toBe('409 event_duplicate')
    })
  },
)
