import { createVerify } from 'node:crypto'
import { expectTypeOf, test } from 'vitest'
import type { Evidence } from '../../src/index.ts'
import {
  bytesToHash,
  type HandshakeRequest,
  type SchemeRequest,
  type SignedBytes,
  type senderAuthenticator,
  type UnreadBytes,
} from '../../src/schemes/kit/index.ts'

declare const evidence: Evidence
declare const request: SchemeRequest
declare const bytes: UnreadBytes

test('an authentication method gets a delivery without its body', () => {
  expectTypeOf<Evidence['delivery']>().not.toHaveProperty('body')
  expectTypeOf(evidence.bytes).toEqualTypeOf<UnreadBytes>()
  expectTypeOf(request.body).toEqualTypeOf<UnreadBytes>()
  expectTypeOf<HandshakeRequest['body']>().toEqualTypeOf<UnreadBytes>()
  expectTypeOf<Parameters<Parameters<typeof senderAuthenticator>[2]>[0]>().toEqualTypeOf<Evidence>()
})

test('nothing decodes, parses or walks over the bytes of a stranger', () => {
  // @ts-expect-error decoded
  new TextDecoder().decode(bytes)
  // @ts-expect-error copied
  Buffer.from(bytes)
  // @ts-expect-error copied
  new Uint8Array(bytes)
  // @ts-expect-error read one by one
  for (const byte of bytes) void byte
  // @ts-expect-error read one by one
  bytes[0]
  // @ts-expect-error cut
  bytes.subarray(1)
  expectTypeOf(bytes.length).toBeNumber()
})

test('a function as signs signs them, whole or in parts, and reads what the limits let it', () => {
  const whole: SignedBytes = ({ body }) => [body]
  const parts: SignedBytes = ({ body, header, text, payload, fields }) => {
    expectTypeOf(text(1000)).toEqualTypeOf<string | undefined>()
    void [payload(), fields()]
    return [{ before: `${header('x-topic')}.`, body, after: '' }]
  }
  const own: SignedBytes = ({ header }) => [new TextEncoder().encode(header('x-topic'))]
  void [whole, parts, own]
})

test('your own cryptography gets the bytes by name', () => {
  expectTypeOf(bytesToHash(evidence.bytes)).toEqualTypeOf<Uint8Array>()
  createVerify('sha256').update(bytesToHash(evidence.bytes))
})
