import { describe, expect, it } from 'vitest'
import { verifyWebhook, webhookOf } from '../../adapters/express.ts'
import { exchange, toBytes } from '../support/raw-http.ts'
import { serve } from '../support/servers.ts'
import { hmacEndpoint } from './sender.ts'

describe('webhookOf', () => {
  it('gives the event of a request that the listener verified', async () => {
    const { listener, request } = hmacEndpoint()
    const verify = verifyWebhook(listener)
    const { address } = await serve((incoming, response) => {
      verify(incoming, response, () => response.end(JSON.stringify(webhookOf(incoming, listener).payload)))
    })
    expect((await exchange(address, toBytes(await request({ body: '{"a":1}' }))))?.body).toBe('{"a":1}')
  })

  it('throws for a request that another listener verified, whose payload may be anything', async () => {
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

  it.each([
    ['a request that nobody verified', {}],
    ['null', null],
    ['nothing', undefined],
  ])('throws for %s, and says what to do', (_, request) => {
    const call = () => webhookOf(request as object, hmacEndpoint().listener)
    expect(call).toThrow(TypeError)
    expect(call).toThrow(/ did not verify this request: is verifyWebhook\(\) on its route\?$/)
  })

  it.each([[null], [undefined], [{}]])('throws for a listener that is %j, whatever the request', (given) => {
    expect(() => webhookOf({}, given as never)).toThrow('listener: must come from defineListener()')
  })
})
