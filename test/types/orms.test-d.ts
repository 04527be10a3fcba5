import { expectTypeOf, test } from 'vitest'
import type { WebhookEvent } from '../../src/index.ts'

interface Tx {
  raw(text: string, values: string[]): Promise<unknown>
}
declare const event: WebhookEvent
declare const tx: Tx

test('commit takes an executor in a transaction, and answers like a commit without one', () => {
  const executor = { query: (text: string, values: string[]) => tx.raw(text, values) }
  expectTypeOf(event.commit(executor)).toEqualTypeOf<Promise<'committed' | 'already' | 'lost'>>()
})

test('commit takes no name of a transaction', () => {
  // @ts-expect-error a text is no client
  event.commit('tx')
})
