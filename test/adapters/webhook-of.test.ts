import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { ListenerConfigError } from '../../src/errors.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { hmacEndpoint } from '../support/sender.ts'
import { serve } from '../support/servers.ts'

type Given = Parameters<typeof hmacEndpoint>[0]

const numbers = z.object({ a: z.number() })
const strings = z.object({ a: z.string() })

/** The error of webhookOf for a listener made from `other`, if one made from `verifying` verified the request. */
async function asked(verifying: Given, other: Given): Promise<unknown> {
  const { listener, request } = hmacEndpoint(verifying)
  const verify = verifyWebhook(listener)
  let thrown: unknown = 'the handler did not run'
  const { address } = await serve((incoming, response) => {
    verify(incoming, response, () => {
      thrown = undefined
      try {
        webhookOf(incoming, hmacEndpoint(other).listener)
      } catch (error) {
        thrown = error
      }
      response.end()
    })
  })
  await exchange(address, toBytes(await request({ body: '{"a":1}' })))
  return thrown
}

describe('webhookOf', () => {
  it('webhookOf gives the event of a request that the listener verified', async () => {
    const { listener, request } = hmacEndpoint()
    const verify = verifyWebhook(listener)
    const { address } = await serve((incoming, response) => {
      verify(incoming, response, () => response.end(JSON.stringify(webhookOf(incoming, listener).payload)))
    })
    expect((await exchange(address, toBytes(await request({ body: '{"a":1}' }))))?.body).toBe('{"a":1}')
  })

  it('webhookOf throws for a request that another listener verified, whose payload may be anything', async () => {
    const [one, two] = [hmacEndpoint({ id: 'one' }), hmacEndpoint({ id: 'two' })]
    const verify = verifyWebhook(one.listener)
    const { address } = await serve((incoming, response) => {
      verify(incoming, response, () => {
        expect(() => webhookOf(incoming, two.listener)).toThrow(
          /the listener "two" did not verify this request/,
        )
        response.end('thrown')
      })
    })
    expect((await exchange(address, toBytes(await one.request())))?.body).toBe('thrown')
  })

  it('webhookOf accepts a new listener with the same id and schema', async () => {
    const thrown = await asked({ payload: numbers }, { payload: numbers })
    expect(thrown).toBeUndefined()
  })

  it.each<readonly [string, Given, Given]>([
    ['another schema', { payload: numbers }, { payload: strings }],
    ['a schema, where the request was verified without one', {}, { payload: strings }],
    ['no schema, where the request was verified with one', { payload: numbers }, {}],
  ])('a listener with the same id and %s throws, because its type would be wrong', async (_, one, other) => {
    const thrown = await asked(one, other)
    expect(thrown).toBeInstanceOf(ListenerConfigError)
    expect(String(thrown)).toMatch(
      /the listener "L1" has another payload schema than the one that verified this/,
    )
  })

  it.each([
    ['an unverified request', {}],
    ['null', null],
    ['nothing', undefined],
  ])('webhookOf throws for %s, and says what to do', (_, request) => {
    const call = () => webhookOf(request as object, hmacEndpoint().listener)
    expect(call).toThrow(ListenerConfigError)
    expect(call).toThrow(/ did not verify this request: is verifyWebhook\(\) on its route\?$/)
  })

  it('webhookOf returns the event without a listener argument, as behind a lookup, and throws if there is none', () => {
    const webhook = { listenerId: 'L1' }
    expect(webhookOf({ webhook })).toBe(webhook)
    expect(() => webhookOf({})).toThrow(
      'webhookOf: no listener verified this request: is verifyWebhook() on its route?',
    )
  })

  it.each([[null], [undefined], [{}]])('a listener that is %j throws, whatever the request', (given) => {
    expect(() => webhookOf({}, given as never)).toThrow('listener: must come from defineListener()')
  })
})
