import { serve } from '@hono/node-server'
import { expect, it, onTestFinished } from 'vitest'
import { createApp } from '../../src/app.ts'
import { newSender, signed } from '../support/automations.ts'
import { describeService, type Subject } from '../support/databases.ts'

/** The service on its own socket. */
async function listening(subject: Subject, trustedProxies: string[]): Promise<string> {
  const { fetch } = createApp(subject.with({ SERVICE_TRUSTED_PROXIES: trustedProxies }))
  return new Promise((resolve) => {
    const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve(`http://127.0.0.1:${port}`),
    )
    onTestFinished(() => void server.close())
  })
}

describeService('a listener with networks', (subject) => {
  const statusFrom = async (origin: string, cidr: string, forwardedFor?: string) => {
    const sender = await newSender(subject, { webhook: { hmac: {}, allowedCidrs: [cidr] } })
    const request = await signed(subject, sender)
    const headers = { ...request.headers, ...(forwardedFor && { 'x-forwarded-for': forwardedFor }) }
    const reply = await fetch(`${origin}${sender.path}`, { ...request, headers })
    return [reply.status, Reflect.get(Object(await reply.json()), 'code')]
  }

  it('the listener answers 403 to a socket address outside its networks', async () => {
    const origin = await listening(subject, [])
    expect(await statusFrom(origin, '127.0.0.0/8')).toStrictEqual([200, undefined])
    expect(await statusFrom(origin, '192.0.2.0/24')).toStrictEqual([403, 'source_ip_not_allowed'])
  })

  it('the listener ignores X-Forwarded-For from strangers', async () => {
    const origin = await listening(subject, [])
    expect((await statusFrom(origin, '192.0.2.0/24', '192.0.2.1'))[0]).toBe(403)
  })

  it('the listener believes X-Forwarded-For from a trusted proxy', async () => {
    const origin = await listening(subject, ['127.0.0.1/32'])
    expect((await statusFrom(origin, '192.0.2.0/24', '192.0.2.1'))[0]).toBe(200)
    expect((await statusFrom(origin, '192.0.2.0/24', '192.0.2.1, 198.51.100.1'))[0]).toBe(403)
  })
})
