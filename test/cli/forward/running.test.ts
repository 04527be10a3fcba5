import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { LEASE } from '../../../adapters/kit/outcome.ts'
import { running } from '../../../adapters/kit/running.ts'
import { forwarder } from '../../../cli/forward/forward.ts'
import { Lease } from '../../../src/claim.ts'
import { Verification } from '../../../src/verification.ts'
import { hmacListener } from '../../support/hmac-listener.ts'
import { acceptedEvent } from '../../support/outcome.ts'

test('the lease of an event that cannot be forwarded is not renewed', async () => {
  const { listener, deliver } = hmacListener()
  const delivery = await deliver()
  const verification = new Verification(delivery, listener)
  const event = await acceptedEvent(delivery, listener)
  Object.defineProperty(event, 'rawBody', {
    get() {
      throw new Error('no body')
    },
  })
  const claimed = { event, listener, verification, isReplay: true, [LEASE]: new Lease(verification, 'me') }
  const target = new URL('http://127.0.0.1:9/')
  const format = 'standard-webhooks' as const
  const options = {
    secret: undefined,
    format,
    passed: [],
    passesSenderHeaders: true,
    timeoutSeconds: 1,
    target,
  }
  const { answer, close } = forwarder(options, target, undefined)
  const others = new Set(running) // of tests that share this process
  const request = new IncomingMessage(new Socket())
  await expect(answer(claimed, request, new ServerResponse(request))).rejects.toThrow('no body')
  expect([...running].filter((lease) => !others.has(lease))).toEqual([])
  await close()
})
