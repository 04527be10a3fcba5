import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { cloudinary } from '../../src/schemes/cloudinary.ts'
import { IN_PROGRESS, MISMATCH, schemeReceiver } from '../support/scheme-receiver.ts'

const BODY = '{"notification_type":"upload"}'

function receiver() {
  const { clock, receive } = schemeReceiver(cloudinary({ secrets: ['Grüße', 'former'] }))
  const send = (hash: 'sha1' | 'sha256' | 'sha512', secret = 'Grüße', digits = 128) => {
    const time = `${clock.seconds()}`
    const signature = createHash(hash).update(`${BODY}${time}${secret}`).digest('hex').slice(0, digits)
    return receive({ headers: { 'x-cld-signature': signature, 'x-cld-timestamp': time }, body: BODY })
  }
  return { send }
}

it.each(['sha1', 'sha256'] as const)(
  'Cloudinary may sign with %s, which an account chooses',
  async (hash) => {
    const event = { type: 'upload', unsigned: [], auth: { covers: 'body', secretId: 'secret-2' } }
    expect(await receiver().send(hash, 'former')).toMatchObject({ ok: true, event })
  },
)

it('a notification of Cloudinary is accepted once, with either hash', async () => {
  const { send } = receiver()
  expect(await send('sha1')).toMatchObject({ ok: true })
  expect(await send('sha256')).toMatchObject(IN_PROGRESS)
})

it('the first digits of a longer hash are not a signature of Cloudinary', async () => {
  const { send } = receiver()
  expect(await send('sha512')).toMatchObject(MISMATCH)
  expect(await send('sha256', 'Grüße', 40)).toMatchObject(MISMATCH)
  expect(await send('sha512', 'Grüße', 64)).toMatchObject(MISMATCH)
})
