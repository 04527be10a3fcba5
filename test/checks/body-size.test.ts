import { expect, it } from 'vitest'
import { hmacListener } from '../support/hmac-listener.ts'
import { acceptedEvent, outcome } from '../support/outcome.ts'

/** A JSON string of exactly this many bytes. */
function jsonOf(bytes: number): string {
  return `"${'x'.repeat(bytes - 2)}"`
}

it('a listener accepts exactly 65,536 bytes of JSON', async () => {
  const { listener, deliver } = hmacListener()
  const event = await acceptedEvent(await deliver({ body: jsonOf(65_536) }), listener)
  expect(event.rawBody.byteLength).toBe(65_536)
})

it('a listener refuses 65,537 bytes with 400, not 413', async () => {
  const { listener, deliver } = hmacListener()
  expect(await outcome(await deliver({ body: jsonOf(65_537) }), listener)).toBe('400 body_too_large')
})

it('a listener counts bytes, not characters', async () => {
  const { listener, deliver } = hmacListener({ maxBodyBytes: 6 })
  expect(await outcome(await deliver({ body: '"éé"' }), listener)).toBe('accepted')
  expect(await outcome(await deliver({ body: '"ééé"' }), listener)).toBe('400 body_too_large')
})

it('a listener takes maxBodyBytes as the last size that passes', async () => {
  const { listener, deliver } = hmacListener({ maxBodyBytes: 70_000 })
  expect(await outcome(await deliver({ body: jsonOf(70_000) }), listener)).toBe('accepted')
  expect(await outcome(await deliver({ body: jsonOf(70_001) }), listener)).toBe('400 body_too_large')
})
