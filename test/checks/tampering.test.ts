import { describe, expect, it } from 'vitest'
import { type Delivery, verify } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { hmacListener, withHeaders } from '../support/hmac-listener.ts'
import fc from '../support/property.ts'
import { spyStore } from '../support/spy-store.ts'

const SIGNED_HEADERS = ['webhook-signature', 'webhook-timestamp', 'webhook-event-id'] as const

function replaceAt(text: string, index: number, code: number): string {
  return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1)
}

/** Expects a refusal without a call of the store. */
async function expectRefused(delivery: Delivery, { listener, calls }: ReturnType<typeof watched>) {
  const verdict = await verify(delivery, listener)
  expect(verdict.ok).toBe(false)
  expect(calls).toStrictEqual([])
}

function watched() {
  const { store, calls } = spyStore(memoryStore({ maxRecords: 10 }))
  return { ...hmacListener({ store }), calls }
}

describe('a change of one byte of a valid delivery is refused', () => {
  it.each(SIGNED_HEADERS)('any other byte at any place of %s is refused', async (name) => {
    const watch = watched()
    const delivery = await watch.deliver()
    const text = String(delivery.header(name))
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.nat(255), async (index, code) => {
        fc.pre(text.charCodeAt(index) !== code)
        await expectRefused(withHeaders(delivery, { [name]: replaceAt(text, index, code) }), watch)
      }),
      { numRuns: 500 },
    )
  })

  it.each(SIGNED_HEADERS)('any letter of %s in the other case is refused', async (name) => {
    const watch = watched()
    const delivery = await watch.deliver({ eventId: 'abcdefab-cdef-4abc-9def-abcdefabcdef' })
    const text = String(delivery.header(name))
    for (const [index, letter] of [...text].entries()) {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
      if (other === letter) continue
      await expectRefused(
        withHeaders(delivery, { [name]: replaceAt(text, index, other.charCodeAt(0)) }),
        watch,
      )
    }
  })

  it('any other byte at any place of any JSON body is refused', async () => {
    const watch = watched()
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.nat(), fc.integer({ min: 1, max: 255 }), async (body, place, flip) => {
        const delivery = await watch.deliver({ body })
        const changed = delivery.body.slice()
        const index = place % changed.length
        changed[index] = (changed[index] ?? 0) ^ flip
        await expectRefused({ ...delivery, body: changed }, watch)
      }),
      { numRuns: 300 },
    )
  })

  it('a byte added or removed at either end is refused', async () => {
    const watch = watched()
    const delivery = await watch.deliver({ body: ' [1, 2] ' })
    const { body } = delivery
    for (const changed of [body.slice(1), body.slice(0, -1), [32, ...body], [...body, 32], [...body, 0]]) {
      await expectRefused({ ...delivery, body: Uint8Array.from(changed) }, watch)
    }
  })

  it('a shift of several signed parts across the dots is refused', async () => {
    const watch = watched()
    const delivery = await watch.deliver()
    for (const [from, to] of [
      ['webhook-timestamp', 'webhook-event-id'],
      ['webhook-event-id', 'webhook-timestamp'],
    ] as const) {
      const taken = String(delivery.header(from))
      const given = String(delivery.header(to))
      const slid = { [from]: taken.slice(1), [to]: given + taken.slice(0, 1) }
      await expectRefused(withHeaders(delivery, slid), watch)
    }
  })
})
