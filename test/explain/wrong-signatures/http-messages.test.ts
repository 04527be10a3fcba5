import { expect, it } from 'vitest'
import { explain } from '../../../src/explain/index.ts'
import { type Delivery, defineListener, verify } from '../../../src/index.ts'
import { rfc9421 } from '../../../src/schemes/rfc9421.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'

const secret = 'cca588fc3d7dd43381d5694f52d63511'
const publicUrl = 'https://receiver.example/hooks'

async function explained(
  change: (given: Delivery) => Partial<Delivery>,
  requiredComponents: readonly string[] = [],
) {
  const auth = rfc9421({ secrets: { id: 'key-1', secret }, publicUrl, requiredComponents })
  const listener = defineListener({ id: 'messages', auth, store: memoryStore(), onVerdict: null })
  const given = toDelivery(await signAs(rfc9421, { secret, publicUrl, body: '{"a":1}' }))
  const delivery = { ...given, ...change(given) }
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ status: 401 })
  return (await explain(delivery, verdict, listener)).likely[0]
}

const withInput = (change: (input: string) => string) => (given: Delivery) => ({
  header: (name: string) =>
    name === 'signature-input' ? change(`${given.header(name)}`) : given.header(name),
})

it.each<[string, Parameters<typeof explained>, string]>([
  ['another body', [() => ({ body: Buffer.from('{"a":2}') })], 'Content-Digest does not match the body'],
  [
    'a component that is not supported',
    [withInput((input) => input.replace('"content-type"', '"content-type";sf'))],
    'a signature covers "content-type";sf, which is missing or not supported',
  ],
  [
    'a required component that is not signed',
    [() => ({}), ['x-event-id']],
    'no signature covers content-digest, x-event-id',
  ],
  [
    'the name of another key',
    [withInput((input) => `${input};keyid="key-2"`)],
    'keyid is the name of none of the keys',
  ],
  [
    'the algorithm of another key',
    [withInput((input) => input.replace('hmac-sha256', 'ed25519'))],
    'alg is the algorithm of none of the keys',
  ],
  [
    'the label of another signature',
    [withInput((input) => input.replace('sig1', 'sig2'))],
    'Signature and Signature-Input have no label in common',
  ],
  ['a list that is open', [withInput((input) => input.replace(')', ''))], 'Signature-Input is malformed'],
])('the explanation begins with what is wrong with %s', async (_, given, likely) => {
  expect(await explained(...given)).toBe(likely)
})

it.each([
  ['signature', 'No Signature header: '],
  ['signature-input', 'No Signature-Input header: '],
])('the explanation of a delivery without its %s begins with "%s"', async (missing, likely) => {
  const without = (given: Delivery) => ({
    header: (name: string) => (name === missing ? undefined : given.header(name)),
  })
  expect(await explained(without)).toMatch(likely)
})

it('the explanation of another secret does not blame the message', async () => {
  expect(await explained(withInput((input) => `${input};tag="a"`))).toMatch(/^the secret is wrong/)
})
