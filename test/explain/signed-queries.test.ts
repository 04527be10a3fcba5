import { describe, expect, it } from 'vitest'
import { explain } from '../../src/explain/index.ts'
import { type Authenticator, defineListener, verify } from '../../src/index.ts'
import { qstash } from '../../src/schemes/qstash.ts'
import { square } from '../../src/schemes/square.ts'
import { twilio } from '../../src/schemes/twilio.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { signAs, toDelivery } from '../../src/testing/index.ts'

const secret = 'cca588fc3d7dd43381d5694f52d63511'
const PUBLIC = 'https://receiver.example/hooks'
const FORM = 'AccountSid=AC1&Body=Hi'

interface Sender {
  readonly factory: ((options: { secrets: string; publicUrl: string }) => Authenticator) &
    Parameters<typeof signAs>[0]
  readonly body: string
}
const SENDERS: readonly (readonly [string, Sender])[] = [
  ['Square', { factory: square, body: '{"event_id":"1"}' }],
  ['QStash', { factory: qstash, body: '{}' }],
  ['Twilio', { factory: twilio, body: FORM }],
]

async function explained(
  { factory, body }: Sender,
  { publicUrl, signed, target }: { publicUrl: string; signed: string; target: string },
): Promise<string> {
  const listener = defineListener({
    id: 'queries',
    auth: factory({ secrets: secret, publicUrl }),
    store: memoryStore({ maxRecords: 10 }),
    onVerdict: null,
  })
  const delivery = { ...toDelivery(await signAs(factory, { secret, publicUrl: signed, body })), url: target }
  const verdict = await verify(delivery, listener)
  expect(verdict).toMatchObject({ status: 401 })
  const { likely } = await explain(delivery, verdict, listener)
  return likely.join('\n')
}

describe.each(SENDERS)('the query that %s has signed', (name, sender) => {
  it('the signed query is not that of the request, because something has added one', async () => {
    const likely = await explained(sender, { publicUrl: PUBLIC, signed: PUBLIC, target: '/hooks?id=1' })
    expect(likely).toMatch(new RegExp(`^${name} signed publicUrl; the request has another query`))
  })

  it('the signed query is configured, and the request has another', async () => {
    const publicUrl = `${PUBLIC}?tenant=7`
    for (const target of ['/hooks?tenant=8', '/hooks', '/hooks?']) {
      const likely = await explained(sender, { publicUrl, signed: publicUrl, target })
      expect(likely).toMatch(new RegExp(`^${name} signed publicUrl; the request has another query, or none`))
    }
  })

  it('the signed query is that of the request, and another is configured', async () => {
    const publicUrl = `${PUBLIC}?tenant=7`
    const signed = `${PUBLIC}?tenant=8`
    const likely = await explained(sender, { publicUrl, signed, target: '/hooks?tenant=8' })
    expect(likely).toContain(`${name} signed ${signed}; publicUrl is ${publicUrl}: set publicUrl`)
    expect(likely).toContain('leave the query out of publicUrl')
  })

  it('the signed query is refused, whatever was signed', async () => {
    const publicUrl = `${PUBLIC}?tenant=7`
    const signed = `${PUBLIC}?tenant=8`
    const other = await explained(sender, { publicUrl, signed, target: '/hooks?tenant=9' })
    expect(other).toMatch(/^the request has another query than publicUrl/)
    const encoded = await explained(sender, { publicUrl: PUBLIC, signed, target: '/hooks%3Ftenant=8' })
    expect(encoded).toMatch(/^the path of the request has an encoded question mark/)
  })

  it('the signed query follows another path than the configured one', async () => {
    const signed = `${PUBLIC}/?id=1`
    const likely = await explained(sender, { publicUrl: PUBLIC, signed, target: '/hooks/?id=1' })
    expect(likely).toContain(`${name} signed ${signed}; publicUrl is ${PUBLIC}: set publicUrl`)
  })
})

it('a query of Twilio that nothing divides from the form has to be configured, or needs a lookup', async () => {
  const signed = `${PUBLIC}?id=1`
  const sender = { factory: twilio, body: 'Body=Hi' }
  const likely = await explained(sender, { publicUrl: PUBLIC, signed, target: '/hooks?id=1' })
  expect(likely).toContain(`Twilio signed ${signed}; publicUrl is ${PUBLIC}: set publicUrl`)
  expect(likely).toContain('a listener for each URL')
})
