import { expect, it } from 'vitest'
import { Attempt } from '../../src/checks/check.ts'
import { type KeySet, localKeySet } from '../../src/jwt.ts'
import { Log } from '../adapters/log.ts'
import { type JwtSender, jwtSender } from '../support/jwt-listener.ts'
import { newKey } from '../support/keys.ts'

const key = newKey('ES256', 'k1')
const keys = localKeySet({ keys: [key.publicKey] })

/** A key set that answers when it is told to. */
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

/** A delivery that has passed every check before that of its token. */
function attemptOf({ deliver, listener }: JwtSender, payload: unknown): Attempt {
  const attempt = new Attempt(deliver({ body: JSON.stringify(payload) }), listener)
  attempt.eventId = String(attempt.delivery.header('webhook-event-id'))
  attempt.payload = payload
  return attempt
}

it('the payload is there after a key that came late', async () => {
  const { keySet, answer } = lateKeySet()
  const { send } = jwtSender(key, { keySet })
  const verdict = send({ body: '{"a":[1]}' })
  answer()
  expect(await verdict).toMatchObject({ ok: true, event: { payload: { a: [1] } } })
})

it('the parsed body is let go of while its key is awaited', async () => {
  const { keySet, asked, answer } = lateKeySet()
  const sender = jwtSender(key, { keySet })
  const attempt = attemptOf(sender, [[]])
  const authentication = sender.listener.auth.authenticate(attempt)
  await asked.reaches(1)
  expect(attempt.payload).toBeUndefined()
  answer()
  expect(await authentication).toMatchObject({ method: 'jwt' })
  expect(attempt.payload).toEqual([[]])
})

it('the body is not parsed twice for a key that is at hand', async () => {
  const sender = jwtSender(key, { keySet: keys })
  await sender.send() // the key is imported when it is first asked for
  const payload: unknown = [[]]
  const attempt = attemptOf(sender, payload)
  expect(await sender.listener.auth.authenticate(attempt)).toMatchObject({ method: 'jwt' })
  expect(attempt.payload).toBe(payload)
})
