import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { defineListener, verify } from '../../../src/index.ts'
import { memoryStore } from '../../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../../src/testing/index.ts'
import { schemeFactory } from '../../support/schemes.ts'

const SECRET = 'cca588fc3d7dd43381d5694f52d63511cca588fc3d7dd43381d5694f52d63511'
const PUBLIC_URL = 'https://receiver.example/hooks'
const EVENT = `{"event_id":"1","type":"a","created_at":"${new Date().toISOString()}"}`

const SENDERS = [
  ['contentful', EVENT],
  ['hubspot', EVENT],
  ['qstash', EVENT],
  ['rfc9421', EVENT],
  ['square', EVENT],
  ['twilio', 'AccountSid=AC1&Body=Hi+there&From=%2B1555'],
  ['twilio', EVENT],
] as const

const hashOf = (body: string) => `bodySHA256=${createHash('sha256').update(body).digest('hex')}`

describe.each(SENDERS)('the SDK of %s, asked about %s', (name, body) => {
  const isTwilioJson = name === 'twilio' && body === EVENT
  const contentType = body === EVENT ? 'application/json' : 'application/x-www-form-urlencoded'

  it.each(['', '?id=12345', '?a=%7e&b=+%20%2B', '?a=b;c&a=d', '?a=%41%5f%5F', '?x=%C3%BC%00'])(
    'the SDK accepts the URL that hookgate accepts, and no other: %s',
    async (query) => {
      const factory = await schemeFactory(name)
      const sender = await import(`./senders/${name}.mjs`)
      const signed = await signAs(factory, {
        secret: SECRET,
        publicUrl: PUBLIC_URL + query,
        body,
        contentType,
      })
      const sdkTakes = async (sent: string) => {
        const added = isTwilioJson ? `${sent === '' ? '?' : '&'}${hashOf(body)}` : ''
        const request = { method: 'POST', headers: Object.entries(signed.headers), body: Buffer.from(body) }
        const asked = { ...request, secret: SECRET, url: PUBLIC_URL + sent + added }
        return Promise.resolve(sender.verify(asked)).then(Boolean, () => false)
      }
      const hookgateTakes = async (sent: string) => {
        const auth = factory({ secrets: SECRET, publicUrl: PUBLIC_URL })
        const listener = defineListener({ id: name, auth, store: memoryStore(), onVerdict: null })
        return (await verify({ ...toDelivery(signed), url: `/hooks${sent}` }, listener)).ok
      }
      expect([await sdkTakes(query), await hookgateTakes(query)]).toEqual([true, true])
      for (const other of ['?id=1', `${query || '?'}&x=1`, '?b=2']) {
        expect([await sdkTakes(other), await hookgateTakes(other)], other).toEqual([false, false])
      }
    },
  )
})
