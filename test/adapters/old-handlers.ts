import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { NetConnectOpts } from 'node:net'
import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import express, { type Express, type Request as ExpressRequest, type RequestHandler } from 'express'
import express4 from 'express4'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Context, Hono } from 'hono'
import Stripe from 'stripe'
import { observeWebhook as besideExpress } from '../../adapters/express.ts'
import { observeWebhook as besideFastify } from '../../adapters/fastify.ts'
import { observeWebhook as besideHono } from '../../adapters/hono.ts'
import { observeWebhook as besideWeb } from '../../adapters/web.ts'
import type { Listener } from '../../src/index.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { serve, serveFastify } from '../support/servers.ts'

/** The endpoint of one vector: how its owner checked it before, and the listeners beside. */
export interface Endpoint {
  readonly sender: 'stripe' | 'github' | 'slack' | 'twilio'
  readonly secrets: readonly string[]
  readonly now: number
  readonly publicUrl: string
  readonly listeners: readonly Listener[]
}

/** Finds the endpoint by the path. */
export type Endpoints = (path: string) => Endpoint

/** What an old handler has left of a body. */
interface Seen {
  readonly body: string | Buffer
  readonly form?: unknown
  readonly isRead: boolean
}

interface OldAnswer {
  readonly status: number
  readonly text: string
}

/** What the old handler decided and saw: a request that was changed shows here. */
function answerTo(
  endpoint: Endpoint,
  path: string,
  headers: IncomingHttpHeaders,
  { body, form, isRead }: Seen,
  request: object,
): OldAnswer {
  const query = path.slice(`${path}?`.indexOf('?'))
  const isGenuine = CHECKS[endpoint.sender](endpoint, { body, form, query, header: (name) => `${headers[name] ?? ''}` })
  const hash = createHash('sha256').update(body).update(JSON.stringify(headers)).digest('hex')
  return {
    status: isGenuine ? 200 : 400,
    text: JSON.stringify({ isRead, hash, members: Object.keys(request).toSorted() }),
  }
}

interface Parts extends Omit<Seen, 'isRead'> {
  readonly query: string
  readonly header: (name: string) => string
}

/** The checks that people have, of ten lines or from the SDK. */
const CHECKS: { readonly [Sender in Endpoint['sender']]: (endpoint: Endpoint, parts: Parts) => boolean } = {
  stripe: ({ secrets, now }, { body, header }) =>
    secrets.some((secret) => {
      try {
        return Stripe.webhooks.constructEvent(body, header('stripe-signature'), secret, 300, undefined, now * 1000)
      } catch {
        return false
      }
    }),
  github: ({ secrets }, { body, header }) =>
    secrets.some((secret) =>
      isSame(header('x-hub-signature-256'), `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`),
    ),
  slack: ({ secrets, now }, { body, header }) => {
    const time = header('x-slack-request-timestamp')
    if (!(Math.abs(now - Number(time)) <= 300)) return false
    const mac = (secret: string) => createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex')
    return secrets.some((secret) => isSame(header('x-slack-signature'), `v0=${mac(secret)}`))
  },
  twilio: ({ secrets, publicUrl }, { body, form, query, header }) => {
    const { origin, pathname } = new URL(publicUrl)
    const sha = new URLSearchParams(query).get('bodySHA256')
    if (sha !== null && createHash('sha256').update(body).digest('hex') !== sha) return false
    const isForm = header('content-type').includes('form')
    const fields = Object.entries(form ?? (isForm ? Object.fromEntries(new URLSearchParams(`${body}`)) : {}))
    const signed = fields.toSorted(([a], [b]) => (a < b ? -1 : 1)).flat()
    const text = [origin, pathname, query, ...signed].join('')
    return secrets.some((secret) =>
      isSame(header('x-twilio-signature'), createHmac('sha1', secret).update(text).digest('base64')),
    )
  },
}

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}
