import { expect, it } from 'vitest'
import { type KeySet, localKeySet } from '../../src/jwt.ts'
import { Verification } from '../../src/verification.ts'
import { type JwtSender, jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'
import { Log } from '../support/log.ts'

const key = newKey('ES256', 'k1')
const keys = localKeySet({ keys: [key.publicKey] })

/** A key set that answers when the test says so. */
function lateKeySet() {
  const asked = new Log<string>()
  const open = new Log<string>()
  const find: KeySet['find'] = async (...wanted) => {
    asked.add('asked')
    await open.reaches(1)
    return keys.find(...wanted)
  }
  return { keySet: { find }, asked, answer: () => open.add('open') }
}

/** A delivery that has passed every check before the token's. */
function verificationOf({ deliver, listener }: JwtSender, payload: unknown): Verification {
  const verification = new Verification(deliver({ body: JSON.stringify(payload) }), listener)
  verification.eventId = String(verification.delivery.header('webhook-event-id'))
  verification.payload = payload
  return verification
}

it('the payload is present after a late key', async () => {
  const { keySet, answer } = lateKeySet()
  const { send } = jwtSender(key, { keySet })
  const verdict = send({ body: '{"a":[1]}' })
  answer()
  expect(await verdict).toMatchObject({ ok: true, event: { payload: { a: [1] } } })
})

it('the parsed body is released while its key is awaited', async () => {
  const { keySet, asked, answer } = lateKeySet()
  const sender = jwtSender(key, { keySet })
  const verification = verificationOf(sender, [[]])
  const authentication = sender.listener.auth.authenticate(verification)
  await asked.reaches(1)
  expect(verification.payload).toBeUndefined()
  answer()
  expect(await authentication).toMatchObject({ method: 'jwt' })
  expect(verification.payload).toEqual([[]])
})

it('the body is not parsed twice if the key is already loaded', async () => {
  const sender = jwtSender(key, { keySet: keys })
  await sender.send() // the key is imported on first use
  const payload: unknown = [[]]
  const verification = verificationOf(sender, payload)
  expect(await sender.listener.auth.authenticate(verification)).toMatchObject({ method: 'jwt' })
  expect(verification.payload).toBe(payload)
})
