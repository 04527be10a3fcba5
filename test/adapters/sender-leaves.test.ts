import { expect } from 'vitest'
import { hmac } from '../../src/index.ts'
import { signHmac } from '../../src/testing/index.ts'
import { fakeClock } from '../support/clock.ts'
import { ACCEPTED, describeMatrix } from '../support/describe-matrix.ts'
import { SECRET } from '../support/hmac-listener.ts'
import { Log } from '../support/log.ts'
import { RawConnection, toBytes } from '../support/raw-http.ts'
import { endpoint } from '../support/sender.ts'

/** So many that the signature of 2 MB takes thousands of turns. */
const secrets = [SECRET, ...Array.from({ length: 400 }, (_, index) => `another secret of many, ${index}`)]
const MB = 1_048_576

/** On Deno, the tests use Web Crypto, which computes beside the event loop, to the end. */
const END =
  process.env.HOOKGATE_RUNTIME === 'deno'
    ? 'the signature does not match your secrets'
    : 'the connection ended before the signature was computed'

interface Logs {
  readonly arrived: Log<string>
  readonly details: Log<string>
}
const logs = new WeakMap<object, Logs>()

describeMatrix('a sender that leaves while its signature is computed', [
  {
    name: 'a sender that leaves ends the computation, and the next delivery has its place',
    endpoint: () => {
      const { now } = fakeClock()
      const arrived = new Log<string>()
      const details = new Log<string>()
      const made = endpoint(hmac({ secrets }), (signing) => signHmac({ secret: SECRET, ...signing }), {
        maxBodyBytes: 2 * MB,
        onVerdict: (verdict) => details.add(verdict.ok ? 'accepted' : (verdict.detail ?? 'handshake')),
        // It is read when the body has arrived.
        clock: {
          now() {
            arrived.add('a body')
            return now()
          },
        },
      })
      logs.set(made.listener, { arrived, details })
      return made
    },
    setup: () => ({ options: { maxConcurrentBodies: 1 } }),
    send: async (client) => {
      const body = `"${'x'.repeat(2 * MB - 2)}"`
      const headers = { 'webhook-signature': 'A'.repeat(43) }
      const connection = new RawConnection(client.address)
      await connection.write(toBytes(await client.request({ body, headers })))
      const { arrived, details } = logs.get(client.listener) ?? {}
      await arrived?.reaches(1)
      connection.abort()
      await details?.reaches(1)
      expect(details?.entries).toEqual([END])
      expect(client.failures.entries).toEqual([])
      return client.send(await client.request())
    },
    expected: ACCEPTED,
    differs: { 'no hang-up': 'not sent' },
  },
])
