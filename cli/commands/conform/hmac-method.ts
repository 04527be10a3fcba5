import { createHmac } from 'node:crypto'
import { signHmac } from '../../../src/signing/sign.ts'
import { type WrongRequest, withHeader } from '../../../src/testing/wrong-requests.ts'
import { WRONG_MACS } from '../../../src/testing/wrong-signatures.ts'
import { BODY, type SigningMethod } from './signing-method.ts'

/** Signs with the secret, correctly and with the mistakes that senders make. */
export function hmacMethod(secret: string): SigningMethod {
  return {
    header: 'webhook-signature',
    variants: [],
    wrong: [...WRONG_MACS, ...wrongInputs(secret)],
    refusals: [],
    sign: (parts) => signHmac({ secret, body: BODY, ...parts }),
  }
}

/** Well-formed signatures of the wrong input. A receiver that accepts one makes the same mistake. */
function wrongInputs(secret: string): readonly WrongRequest[] {
  const signed = (
    name: string,
    key: string | Buffer,
    inputOf: (timestamp: string, id: string) => string,
  ): WrongRequest => ({
    name,
    reason: 'signature_mismatch',
    change(request) {
      const { 'webhook-timestamp': timestamp = '', 'webhook-event-id': id = '' } = request.headers
      const mac = createHmac('sha256', key).update(inputOf(timestamp, id)).update(request.body)
      return withHeader(request, 'webhook-signature', mac.digest('base64url'))
    },
  })
  const right = (timestamp: string, id: string) => `${timestamp}.${id}.`
  return [
    signed('a signature of the body alone', secret, () => ''),
    signed('a signature of timestamp and body', secret, (timestamp) => `${timestamp}.`),
    signed('a signature with the ID before the timestamp', secret, (timestamp, id) => `${id}.${timestamp}.`),
    signed('a secret decoded from base64url', Buffer.from(secret, 'base64url'), right),
    signed('a secret with a line break at its end', `${secret}\n`, right),
    signed('an empty secret', '', right),
  ]
}
